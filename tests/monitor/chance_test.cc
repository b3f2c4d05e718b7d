#include "monitor/chance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace postrider {
using namespace internal;
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

// So many or more of the rows of a kind fall to the first sample, by going through all ways to deal them.
double dealt(std::size_t found, std::size_t rows, std::size_t other, std::size_t other_rows) {
  const std::size_t all = found + other;
  double out = 0;
  for (std::size_t k = found; k <= std::min(all, rows); ++k)
    if (all - k <= other_rows)
      out += choose(rows, k) * choose(other_rows, all - k) / choose(rows + other_rows, all);
  return out;
}

TEST(Chance, SharesByCountingWays) {
  constexpr double kLogarithms = 1e-9;
  for (const auto& [k, n, j, m] : {std::array<std::size_t, 4>{40, 100, 50, 200},
                                   {25, 60, 20, 100},
                                   {1, 1, 0, 300},
                                   {3, 10, 1, 500}}) {
    EXPECT_NEAR(chance_of_shares(k, n, j, m) / (2 * dealt(k, n, j, m)), 1, kLogarithms);
    EXPECT_NEAR(chance_of_shares(j, m, k, n) / (2 * dealt(k, n, j, m)), 1, kLogarithms);
  }
  EXPECT_EQ(chance_of_shares(0, 10, 0, 20), 1);
  EXPECT_EQ(chance_of_shares(10, 10, 20, 20), 1);
  EXPECT_EQ(chance_of_shares(0, 0, 5, 20), 1);
  EXPECT_LT(chance_of_shares(500'000, 1'000'000, 400'000, 1'000'000), 1e-100);
  EXPECT_EQ(chance_of_shares(300'000, 1'000'000, 300'000, 1'000'000), 1);
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
