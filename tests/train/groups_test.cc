#include "train/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace postrider {
namespace {

constexpr Shuffle kShuffles[] = {Shuffle::none, Shuffle::once, Shuffle::every_epoch};

std::vector<std::uint32_t> all_rows(const Groups& groups, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t group : order)
    for (const std::uint32_t row : groups.rows(group)) out.push_back(row);
  return out;
}

TEST(Groups, EveryEpochVisitsEveryRowOnce) {
  for (const Shuffle shuffle : kShuffles)
    for (const std::size_t rows : {1U, 2U, 7U, 100U})
      for (const std::size_t group_size : {1U, 3U, 7U, 100U, 1000U}) {
        const Groups groups(counted(rows), group_size, shuffle, 4);
        std::size_t whole = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
          EXPECT_FALSE(groups.rows(g).empty());
          EXPECT_LE(groups.rows(g).size(), group_size);
          if (groups.rows(g).size() == group_size) ++whole;
        }
        EXPECT_EQ(whole, rows / group_size) << "only the last group may be smaller";
        for (std::size_t epoch = 1; epoch < 4; ++epoch) {
          std::vector<std::uint32_t> visited = all_rows(groups, groups.order(epoch));
          std::ranges::sort(visited);
          EXPECT_EQ(visited, counted(rows));
        }
      }
}

TEST(Groups, RowsThatAreNotNamedAreNotThere) {
  const std::vector<std::uint32_t> rows{3, 5, 8, 13, 21};
  const Groups groups(rows, 2, Shuffle::once, 4);
  std::vector<std::uint32_t> visited = all_rows(groups, groups.order(1));
  std::ranges::sort(visited);
  EXPECT_EQ(visited, rows);
}

TEST(Groups, ShuffleSaysWhatIsShuffled) {
  constexpr std::size_t kRows = 50, kSize = 5;
  const Groups none(counted(kRows), kSize, Shuffle::none, 4),
      once(counted(kRows), kSize, Shuffle::once, 4),
      every(counted(kRows), kSize, Shuffle::every_epoch, 4);
  EXPECT_EQ(all_rows(none, none.order(1)), counted(kRows));
  EXPECT_EQ(none.order(2), counted(kRows / kSize));
  EXPECT_NE(all_rows(once, once.order(1)), counted(kRows));
  EXPECT_EQ(once.order(1), counted(kRows / kSize));
  EXPECT_EQ(once.order(2), counted(kRows / kSize));
  EXPECT_NE(every.order(1), counted(kRows / kSize));
  EXPECT_NE(every.order(1), every.order(2));
}

TEST(Groups, OrderIsAFunctionOfSeedAndEpoch) {
  const Groups one(counted(60), 2, Shuffle::every_epoch, 9),
      same(counted(60), 2, Shuffle::every_epoch, 9),
      other(counted(60), 2, Shuffle::every_epoch, 10);
  // Asked in another order, and twice.
  const std::vector<std::uint32_t> fifth = same.order(5);
  same.order(1);
  EXPECT_EQ(one.order(5), fifth);
  EXPECT_EQ(one.order(5), fifth);
  EXPECT_EQ(all_rows(one, counted(30)), all_rows(same, counted(30)));
  EXPECT_NE(other.order(5), fifth);
  EXPECT_NE(all_rows(one, counted(30)), all_rows(other, counted(30)));
}

TEST(Groups, EveryOrderIsAsLikely) {
  constexpr std::size_t kSeeds = 6000;
  std::vector<std::size_t> counts(6);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Groups groups(counted(3), 1, Shuffle::once, seed);
    const std::vector<std::uint32_t> rows = all_rows(groups, counted(3));
    ++counts[2 * rows[0] + (rows[1] > rows[2] ? 1 : 0)];
  }
  // Chi-square with five degrees of freedom: beyond 25.7 once in ten thousand.
  constexpr double kMostChiSquare = 25.7, kExpected = kSeeds / 6.0;
  double chi_square = 0;
  for (const std::size_t count : counts) {
    const double gap = static_cast<double>(count) - kExpected;
    chi_square += gap * gap / kExpected;
  }
  EXPECT_LT(chi_square, kMostChiSquare);
}

// By trying all sizes: the first at which the messages of all groups fit, or all rows.
TEST(Groups, SmallestGroupIsTheFirstThatFits) {
  constexpr std::size_t kBytes = 10;
  for (const std::size_t rows : {1U, 2U, 9U, 100U, 101U})
    for (std::size_t budget = 0; budget <= 1100; budget += 7) {
      std::size_t expected = 1;
      while (expected < rows && (rows + expected - 1) / expected * kBytes > budget) ++expected;
      EXPECT_EQ(smallest_group(rows, kBytes, budget), expected) << rows << " rows, " << budget;
    }
}

}  // namespace
}  // namespace postrider
