#include "skill/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "skill/matches.h"

namespace postrider::internal::games {
namespace {

constexpr double kExact = 1e-9;
constexpr double kSampled = 0.006;  // four standard errors of 1e5 draws

TEST(Prediction, RanksOfTwoSidesHaveAClosedForm) {
  const std::vector<Expected> sides{{{1, 4}, 1}, {{-0.5, 2}, 1}};
  const std::vector<double> rank = rank_probabilities(sides);
  const double wins = skill::below(1.5 / std::sqrt(6.0));
  EXPECT_NEAR(rank[0], wins, kExact);
  EXPECT_NEAR(rank[1], 1 - wins, kExact);
  EXPECT_NEAR(rank[2], 1 - wins, kExact);
  EXPECT_NEAR(rank[3], wins, kExact);
}

TEST(Prediction, RanksOfFourSidesAreThoseOfDraws) {
  const std::vector<Expected> sides{{{1, 4}, 1}, {{-0.5, 2}, 1}, {{0.2, 1}, 1}, {{2, 9}, 1}};
  const std::vector<double> rank = rank_probabilities(sides);
  constexpr int kDraws = 100'000;
  std::vector<double> count(16, 0);
  RandomStream random(3, 0);
  for (int i = 0; i < kDraws; ++i) {
    double x[4];
    for (std::size_t k = 0; k < 4; ++k)
      x[k] = sides[k].performance.mean + std::sqrt(sides[k].performance.variance) * random.normal();
    for (std::size_t k = 0; k < 4; ++k) {
      std::size_t better = 0;
      for (std::size_t j = 0; j < 4; ++j) better += x[j] > x[k] ? 1 : 0;
      count[4 * k + better] += 1.0 / kDraws;
    }
  }
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(rank[i], count[i], kSampled) << i;
}

TEST(Prediction, QualityOfADuelIsTrueSkillsFormula) {
  const double noise = 1.5, gap = 2.2, variance = 3 + 5 + 2 * noise;
  const std::vector<Expected> sides{{{gap, 3 + noise}, noise}, {{0, 5 + noise}, noise}};
  EXPECT_NEAR(match_quality(sides),
              std::sqrt(2 * noise / variance) * std::exp(-gap * gap / (2 * variance)), kExact);
}

TEST(Prediction, FairTeamsBalance) {
  // 8 + 1 against 5 + 4: the only split without a difference.
  const std::vector<Expected> players{{{8, 1}, 1}, {{5, 1}, 1}, {{4, 1}, 1}, {{1, 1}, 1}};
  const std::vector<std::uint32_t> split = fair_split(players, 2);
  EXPECT_EQ(split[0], split[3]);
  EXPECT_EQ(split[1], split[2]);
  EXPECT_NE(split[0], split[1]);
}

TEST(Prediction, ManyPlayersAreSplitByExchanges) {
  std::vector<Expected> players;
  for (int i = 0; i < 40; ++i) players.push_back({{0.37 * i * i, 1}, 1});
  const std::vector<std::uint32_t> split = fair_split(players, 3);
  double sum[3] = {0, 0, 0};
  int count[3] = {0, 0, 0};
  for (std::size_t i = 0; i < 40; ++i) {
    sum[split[i]] += players[i].performance.mean;
    ++count[split[i]];
  }
  for (const int one : count) EXPECT_TRUE(one == 13 || one == 14);
  // The sums are about 2530; a draft alone leaves them some dozens apart.
  EXPECT_LT(std::max({sum[0], sum[1], sum[2]}) - std::min({sum[0], sum[1], sum[2]}), 3);
}

}  // namespace
}  // namespace postrider::internal::games
