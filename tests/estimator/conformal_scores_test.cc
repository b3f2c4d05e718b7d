#include "estimator/conformal_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "complaint.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kClose = 1e-9;

TEST(LeftOutScores, TheScoreOfAGaussianIsItsDistanceInDeviations) {
  for (const double z : {-3.0, -1.0, -0.2, 0.0, 0.5, 2.5}) {
    const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    EXPECT_NEAR(score_of(below), std::abs(z), kClose) << z;
    EXPECT_NEAR(tail_of(std::abs(z)), std::min(below, 1 - below), kClose) << z;
  }
  EXPECT_EQ(score_of(0), score_of(1)) << "as far as can be told";
  EXPECT_EQ(score_of(0), 8);
}

// By the definition: the ceil(level (n + 1))-th smallest.
TEST(LeftOutScores, AnIntervalReachesToTheRankOfItsLevel) {
  const LeftOutScores scores({0.9, 0.1, 0.5, 0.3, 0.7, 1.1, 1.3, 1.5, 1.7});
  EXPECT_EQ(scores.reach(0.01), 0.1);
  EXPECT_EQ(scores.reach(0.1), 0.1);
  EXPECT_EQ(scores.reach(0.11), 0.3);
  EXPECT_EQ(scores.reach(0.5), 0.9);
  EXPECT_EQ(scores.reach(0.9), 1.7);
  EXPECT_NEAR(scores.reach(0.95), 1.959964, 1e-6) << "beyond them, the Gaussian's";
  EXPECT_NEAR(LeftOutScores({5}).reach(0.95), 5, kClose) << "but not within the largest";
  EXPECT_NEAR(LeftOutScores().reach(0.95), 1.959964, 1e-6);
}

TEST(LeftOutScores, LevelsTellWhichIntervalsHoldAScore) {
  RandomStream random(3, 0);
  std::vector<double> drawn;
  for (int i = 0; i < 57; ++i) drawn.push_back(std::abs(random.normal()));
  const LeftOutScores scores(drawn);
  for (const double score : {0.0, 0.01, 0.3, drawn[5], drawn[40], 2.4, 3.9})
    for (double level = 0.005; level < 1; level += 0.01)
      EXPECT_EQ(scores.level_of(score) < level, score <= scores.reach(level) + 1e-12)
          << score << " at " << level;
}

// Rows to come are as those that were left out: the share that intervals hold, on average over both,
// is the level, or above it by less than a rank's share.
TEST(LeftOutScores, NewRowsAreHeldAsOftenAsTheLevelSays) {
  for (const std::size_t rows : {19U, 99U, 2500U}) {
    const std::size_t repeats = 400000 / rows;
    RandomStream random(5, rows);
    for (const double level : {0.5, 0.9}) {
      double held = 0;
      for (std::size_t r = 0; r < repeats; ++r) {
        std::vector<double> drawn;
        for (std::size_t i = 0; i < rows; ++i) drawn.push_back(std::pow(random.normal(), 2));
        const LeftOutScores scores(drawn);
        for (int fresh = 0; fresh < 20; ++fresh)
          held += std::pow(random.normal(), 2) <= scores.reach(level) ? 0.05 : 0;
      }
      const double share = held / static_cast<double>(repeats);
      const double error = 3 * std::sqrt(level * (1 - level) / static_cast<double>(repeats) *
                                         (0.05 + 1 / static_cast<double>(rows)));
      EXPECT_GT(share, level - error) << rows;
      EXPECT_LT(share, level + 1 / static_cast<double>(std::min<std::size_t>(rows, 1000)) + error)
          << rows;
    }
  }
}

TEST(LeftOutScores, FewAreKeptOfManyAndNeverTooNarrow) {
  std::vector<double> all;
  for (int i = 1; i <= 12345; ++i) all.push_back(i * 1e-4);
  const LeftOutScores scores(all);
  EXPECT_EQ(scores.kept().size(), LeftOutScores::kMostKept);
  for (double level = 0.01; level < 0.995; level += 0.01) {
    const double exact = std::ceil(level * 12346) * 1e-4;
    EXPECT_GE(scores.reach(level), exact - kClose) << level;
    EXPECT_LE(scores.reach(level), exact + 14e-4) << level;
  }
}

TEST(LeftOutScores, AWeightCountsAsSoManyRows) {
  const LeftOutScores weighed({1, 2, 3}, std::vector<double>{8, 1, 1});
  EXPECT_EQ(weighed.reach(0.5), 1);
  const LeftOutScores other({1, 2, 3}, std::vector<double>{1, 1, 8});
  EXPECT_EQ(other.reach(0.5), 3);
}

TEST(LeftOutScores, WhatAFileHoldsIsChecked) {
  EXPECT_EQ(LeftOutScores::of_kept({0, 1, 1, 2}).kept().size(), 4U);
  const auto refused = [](std::vector<double> values) {
    return complaint([&] { LeftOutScores::of_kept(values); });
  };
  const std::string accepted = "must be scores in order";
  EXPECT_NE(refused({1, 0}).find(accepted), std::string::npos);
  EXPECT_NE(refused({-1, 0}).find(accepted), std::string::npos);
  EXPECT_NE(refused({0, std::nan("")}).find(accepted), std::string::npos);
  EXPECT_NE(refused({0, 1e9}).find(accepted), std::string::npos);
  EXPECT_NE(refused(std::vector<double>(1001)).find(accepted), std::string::npos);
}

}  // namespace
}  // namespace postrider
