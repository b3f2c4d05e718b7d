#include "data/chance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace postrider {
namespace {

constexpr double kExact = 1e-12;

double choose(std::size_t n, std::size_t k) {
  double out = 1;
  for (std::size_t i = 0; i < k; ++i)
    out *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return out;
}

TEST(Chance, ValuesBeyondAllOthersByCountingWays) {
  for (const auto& [k, n, m] :
       {std::array<std::size_t, 3>{1, 1, 9}, {2, 5, 10}, {5, 5, 100}, {3, 50, 7}})
    EXPECT_NEAR(chance_beyond(k, n, m) / (choose(n, k) / choose(n + m, k)), 1, kExact);
  EXPECT_EQ(chance_beyond(0, 5, 5), 1);
  EXPECT_LT(chance_beyond(1000, 1000, 1'000'000), 1e-300);  // and is still a number
  EXPECT_GE(chance_beyond(1000, 1000, 1'000'000), 0);
}

// The chance of a difference as large or larger, by going through all ways to deal the successes to both samples.
double dealt(std::size_t found, std::size_t rows, std::size_t other, std::size_t other_rows) {
  const std::size_t all = found + other;
  const auto apart = [&](std::size_t k) {
    return std::abs(static_cast<double>(k) / static_cast<double>(rows) -
                    static_cast<double>(all - k) / static_cast<double>(other_rows));
  };
  double out = 0;
  for (std::size_t k = 0; k <= std::min(all, rows); ++k)
    if (all - k <= other_rows && apart(k) >= apart(found) - kExact)
      out += choose(rows, k) * choose(other_rows, all - k) / choose(rows + other_rows, all);
  return out;
}

TEST(Chance, SharesAreNearTheExactTest) {
  constexpr double kFactor = 1.6;  // of a Gaussian in place of a hypergeometric distribution
  for (const auto& [k, n, j, m] :
       {std::array<std::size_t, 4>{30, 100, 40, 200}, {25, 60, 20, 100}, {40, 150, 60, 150}}) {
    const double exact = dealt(k, n, j, m), found = chance_of_shares(k, n, j, m);
    EXPECT_LT(found, kFactor * exact);
    EXPECT_GT(found, exact / kFactor);
  }
  EXPECT_EQ(chance_of_shares(0, 10, 0, 20), 1);
  EXPECT_EQ(chance_of_shares(10, 10, 20, 20), 1);
  EXPECT_EQ(chance_of_shares(0, 0, 5, 20), 1);
}

TEST(Chance, CountsHaveTheTailOfChiSquare) {
  // Two samples of 1000 in four bins of 250, moved by d between two of them: the sum is 2 (d/1000)^2 / (0.25 * 2/1000).
  // Its value that 1 % exceeds with three degrees of freedom is 11.345.
  const auto d = static_cast<std::size_t>(std::lround(std::sqrt(11.345 * 0.25 * 1000)));
  const double found = chance_of_counts({250 + d, 250 - d, 250, 250}, {250, 250, 250, 250});
  // Bins that are less even than the pooled ones make it a little smaller than told above.
  EXPECT_NEAR(found, 0.01, 0.003);
  EXPECT_GT(chance_of_counts({250, 250, 250, 250}, {25, 25, 25, 25}), 0.95);
  EXPECT_EQ(chance_of_counts({5, 0}, {7, 0}), 1);  // one bin alone says nothing
  EXPECT_EQ(chance_of_counts({0, 0}, {7, 8}), 1);
  EXPECT_LT(chance_of_counts({100, 0, 0}, {0, 0, 100}), 1e-6);
}

TEST(Chance, FewRowsDoNotAlarm) { EXPECT_GT(chance_of_counts({0, 0, 1}, {500, 500, 1}), 0.01); }

TEST(Chance, TheShareThatMoved) {
  EXPECT_NEAR(moved_share({50, 50}, {200, 0}), 0.5, kExact);
  EXPECT_NEAR(moved_share({1, 2, 1}, {10, 20, 10}), 0, kExact);
  EXPECT_NEAR(moved_share({4, 0}, {0, 9}), 1, kExact);
  EXPECT_EQ(moved_share({0, 0}, {1, 9}), 0);
}

}  // namespace
}  // namespace postrider
