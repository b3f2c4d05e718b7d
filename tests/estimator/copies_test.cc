#include "estimator/copies.h"

#include <gtest/gtest.h>

#include <limits>

#include "estimator/sine.h"
#include "postrider/regressor.h"

namespace postrider {
namespace {

constexpr std::size_t kSmall = 500, kLarge = 100000;  // weights

using Dampings = std::vector<double>;

TEST(Copies, BothWaysAreTriedWhereTheyDifferAndNetworksAreSmall) {
  const EstimatorOptions chosen;
  const Dampings both = dampings_to_try(chosen, 2, kSmall);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NEAR(both[0], 0, 1e-6);
  EXPECT_EQ(both[1], 0.5);
  EXPECT_EQ(dampings_to_try(chosen, 1.05, kSmall), Dampings{0});
  EXPECT_EQ(dampings_to_try(chosen, 2, kLarge), Dampings{0});
}

TEST(Copies, WhatIsAskedForIsNotChosen) {
  EXPECT_EQ(dampings_to_try({.copies = Copies::together}, 2, kSmall), Dampings{0});
  EXPECT_EQ(dampings_to_try({.copies = Copies::apart}, 4, kLarge), Dampings{0.75});
  EXPECT_EQ(dampings_to_try({.copies = Copies::apart}, 0.5, kSmall), Dampings{0});
  EXPECT_EQ(dampings_to_try({.training = {.damping = 0.2}}, 2, kSmall), Dampings{0.2});
}

TrainingOutcome scored(double score) {
  TrainingOutcome out;
  out.report.epochs.resize(2);
  out.report.epochs[1].score = score;
  out.report.best_epoch = 2;
  return out;
}

std::vector<Member> numbered(std::size_t count) {
  std::vector<Member> out;
  for (std::size_t m = 0; m < count; ++m)
    out.push_back({Network(NetworkOptions::dense(1, {2}, 1)), {}, m});
  return out;
}

TEST(Copies, TheWayWithTheHighestMeanScoreIsKept) {
  std::vector<Member> members = numbered(6);
  // What never began, or learned nothing, does not count.
  std::vector<TrainingOutcome> outcomes{scored(5), scored(-9), scored(1), scored(1), {}, {}};
  EXPECT_EQ(keep_best_way(3, members, outcomes), 1U);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].seen, 2U);
  EXPECT_EQ(members[1].seen, 3U);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[1].report.best_score(), 1);
}

TEST(Copies, TheFirstWayIsKeptIfNoneHasLearned) {
  std::vector<Member> members = numbered(2);
  std::vector<TrainingOutcome> outcomes(2);
  EXPECT_EQ(keep_best_way(2, members, outcomes), 0U);
  EXPECT_EQ(members.size(), 1U);
}

class CopiesTest : public NoisySine {
 protected:
  std::vector<FitReport> fitted(Copies copies, std::size_t members = 0) {
    Regressor model({.hidden = {10},
                     .ensemble_size = members,
                     .power = 2,
                     .copies = copies,
                     .encoding = Encoding::standard,
                     .training = {.max_epochs = 25}});
    return model.fit(training.x, training.y);
  }
  static double mean_score(const std::vector<FitReport>& fits) {
    double sum = 0;
    for (const FitReport& fit : fits) sum += fit.best_score();
    return sum / static_cast<double>(fits.size());
  }
};

// Networks that are tried are those that would be trained the one way or the other.
TEST_F(CopiesTest, TheChosenNetworksAreTheBetterOnes) {
  const auto together = fitted(Copies::together, 3), apart = fitted(Copies::apart, 3);
  const auto chosen = fitted(Copies::chosen, 3);
  const auto& better = mean_score(together) > mean_score(apart) ? together : apart;
  EXPECT_EQ(together.front().damping, 0);
  EXPECT_EQ(apart.front().damping, 0.5);
  ASSERT_EQ(chosen.size(), 3U);
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    EXPECT_EQ(chosen[m].damping, better[m].damping);
    EXPECT_NEAR(chosen[m].best_score(), better[m].best_score(), 0.01);
  }
}

TEST_F(CopiesTest, OneVectorHoldsAllThatAreTried) {
  EXPECT_EQ(fitted(Copies::chosen).size(), 8U);
  EXPECT_EQ(fitted(Copies::apart).size(), 16U);
}

}  // namespace
}  // namespace postrider
