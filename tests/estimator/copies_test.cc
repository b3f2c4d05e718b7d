#include <gtest/gtest.h>

#include "estimator/model_options.h"
#include "estimator/sine.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kSmall = 500, kLarge = 100000;  // weights

TEST(Copies, TheyAreLeftOutApartWhereThatDiffersAndNetworksAreSmall) {
  const EstimatorOptions chosen;
  EXPECT_EQ(damping_for(chosen, 2, kSmall), 0.5);
  EXPECT_EQ(damping_for(chosen, 1.05, kSmall), 0);
  EXPECT_EQ(damping_for(chosen, 2, kLarge), 0);
}

TEST(Copies, WhatIsAskedForIsNotChosen) {
  EXPECT_EQ(damping_for({.copies = EstimatorOptions::Copies::together}, 2, kSmall), 0);
  EXPECT_EQ(damping_for({.copies = EstimatorOptions::Copies::apart}, 4, kLarge), 0.75);
  EXPECT_EQ(damping_for({.copies = EstimatorOptions::Copies::apart}, 0.5, kSmall), 0);
  EXPECT_EQ(damping_for({.training = {.damping = 0.2}}, 2, kSmall), 0.2);
}

class CopiesTest : public NoisySine {
 protected:
  std::vector<FitReport> fitted(EstimatorOptions::Copies copies, std::size_t members = 0) {
    Regressor model({.hidden = {10},
                     .ensemble_size = members,
                     .power = 2,
                     .copies = copies,
                     .encoding = Encoding::standard,
                     .training = {.max_epochs = 25}});
    return model.fit(training.x, training.y);
  }
};

TEST_F(CopiesTest, NetworksTellWhichWayTheyWereTrained) {
  EXPECT_EQ(fitted(EstimatorOptions::Copies::together, 3).front().damping, 0);
  EXPECT_EQ(fitted(EstimatorOptions::Copies::apart, 3).front().damping, 0.5);
  EXPECT_EQ(fitted(EstimatorOptions::Copies::chosen, 3).front().damping, 0.5);
  EXPECT_EQ(fitted(EstimatorOptions::Copies::chosen).size(), 16U);
}

}  // namespace
}  // namespace postrider
