#include "train/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace postrider::network {
using namespace internal;
namespace {

constexpr TrainerOptions::Shuffle kShuffles[] = {TrainerOptions::Shuffle::none,
                                                 TrainerOptions::Shuffle::once,
                                                 TrainerOptions::Shuffle::every_epoch};

std::vector<std::uint32_t> all_rows(const Groups& groups, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t group : order)
    for (const std::uint32_t row : groups.rows(group)) out.push_back(row);
  return out;
}

TEST(Groups, EveryEpochVisitsEveryRowOnce) {
  for (const TrainerOptions::Shuffle shuffle : kShuffles)
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
  const Groups groups(rows, 2, TrainerOptions::Shuffle::once, 4);
  std::vector<std::uint32_t> visited = all_rows(groups, groups.order(1));
  std::ranges::sort(visited);
  EXPECT_EQ(visited, rows);
}

TEST(Groups, ShuffleSaysWhatIsShuffled) {
  constexpr std::size_t kRows = 50, kSize = 5;
  const Groups none(counted(kRows), kSize, TrainerOptions::Shuffle::none, 4),
      once(counted(kRows), kSize, TrainerOptions::Shuffle::once, 4),
      every(counted(kRows), kSize, TrainerOptions::Shuffle::every_epoch, 4);
  EXPECT_EQ(all_rows(none, none.order(1)), counted(kRows));
  EXPECT_EQ(none.order(2), counted(kRows / kSize));
  EXPECT_NE(all_rows(once, once.order(1)), counted(kRows));
  EXPECT_EQ(once.order(1), counted(kRows / kSize));
  EXPECT_EQ(once.order(2), counted(kRows / kSize));
  EXPECT_NE(every.order(1), counted(kRows / kSize));
  EXPECT_NE(every.order(1), every.order(2));
}

TEST(Groups, OrderIsAFunctionOfSeedAndEpoch) {
  const Groups one(counted(60), 2, TrainerOptions::Shuffle::every_epoch, 9),
      same(counted(60), 2, TrainerOptions::Shuffle::every_epoch, 9),
      other(counted(60), 2, TrainerOptions::Shuffle::every_epoch, 10);
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
    const Groups groups(counted(3), 1, TrainerOptions::Shuffle::once, seed);
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
  constexpr double kBytes = 10;
  for (const std::size_t rows : {1U, 2U, 9U, 100U, 101U})
    for (std::size_t budget = 0; budget <= 1100; budget += 7) {
      std::size_t expected = 1;
      while (expected<rows&& static_cast<double>((rows + expected - 1) / expected) *
                      kBytes> static_cast<double>(budget))
        ++expected;
      EXPECT_EQ(smallest_group(rows, {kBytes}, budget), expected) << rows << " rows, " << budget;
    }
}

// Sixteen at least, and whole blocks of eight, however much memory there is; fewer where somebody says so.
TEST(Groups, ManyRowsOfLargeNetworksShareMessagesAndAreSweptInBlocks) {
  constexpr std::size_t kAmple = std::size_t{1} << 40;
  const MessageBytes bytes{1000};
  constexpr std::size_t kSmall = 4000, kLarge = 20000;  // weights
  const TrainerOptions options;
  EXPECT_EQ(group_size_of(options, 2999, kLarge, bytes, kAmple), 1U);
  EXPECT_EQ(group_size_of(options, 3000, kLarge, bytes, kAmple), 16U);
  EXPECT_EQ(group_size_of(options, 3000, kLarge, bytes, 3000 * 1000 / 17), 24U) << "18 would fit";
  EXPECT_EQ(group_size_of(options, 3000, kLarge, bytes, 1), 3000U);
  EXPECT_EQ(group_size_of({.store_budget = 3000 * 1000 / 17}, 3000, kLarge, bytes, kAmple), 18U);
  EXPECT_EQ(group_size_of({.group_size = 3}, 3000, kLarge, bytes, kAmple), 3U);
  EXPECT_EQ(group_size_of(options, 3000, kSmall, bytes, kAmple), 1U);
  EXPECT_EQ(group_size_of(options, 3000, kSmall, bytes, 3000 * 1000 / 17), 18U);
  EXPECT_EQ(block_of(options, 3000, kSmall), 0U);
  EXPECT_EQ(block_of(options, 2999, kLarge), 0U) << "by the size of the beliefs";
  EXPECT_EQ(block_of(options, 3000, kLarge), 8U);
  EXPECT_EQ(block_of({.block = 2}, 3000, kLarge), 2U);
}

// Four rows of three inputs and a bias.
StoredInputs<float> some_rows() {
  const std::vector<float> values{1, 0, 2, 0, 0, 3, 4, 0, 0, 0, 0, 5};
  return StoredInputs<float>::of_dense(values, {}, 3);
}

TEST(Groups, MessagesAreAboutInputsThatAreNotZeroInAllRows) {
  const StoredInputs<float> rows = some_rows();
  const Groups groups({3, 0, 2, 1}, 2, TrainerOptions::Shuffle::none, 1);
  const InputLists lists = input_lists(groups, rows.view(), {3, 5, true});
  ASSERT_EQ(lists.groups(), 2U);
  const auto list = [](std::span<const std::uint32_t> of) {
    return std::vector<std::uint32_t>(of.begin(), of.end());
  };
  EXPECT_EQ(list(lists[0]), (std::vector<std::uint32_t>{0, 2, 3})) << "rows 3 and 0";
  EXPECT_EQ(list(lists[1]), (std::vector<std::uint32_t>{0, 2, 3})) << "rows 2 and 1";
  const Groups single({1, 2}, 1, TrainerOptions::Shuffle::none, 1);
  const InputLists without_bias = input_lists(single, rows.view(), {3, 5, false});
  EXPECT_EQ(list(without_bias[0]), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(list(without_bias[1]), (std::vector<std::uint32_t>{0}));
}

// The sizes of rows' own messages, added up; and of pairs that are drawn with replacement, by trying all.
TEST(Groups, BytesOfMessagesFollowWhatIsNotZero) {
  constexpr double kRounding = 1e-9;
  const StoredInputs<float> rows = some_rows();
  const MessageShape shape{1, 4, 16, 32};
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  const MessageBytes bytes = message_bytes(shape, {3, 5, true}, rows.view(), all);
  const auto of = [&](std::size_t inputs) {
    return 8.0 * (16.0 * static_cast<double>(inputs) + 32.0);
  };
  EXPECT_NEAR(4 * bytes.of_group(1), of(3) + of(2) + of(2) + of(2), kRounding);
  double pairs = 0;
  for (const std::uint32_t a : all)
    for (const std::uint32_t b : all) {
      ActiveColumns touched;
      touched.add(rows.row(a).columns);
      touched.add(rows.row(b).columns);
      pairs += of(touched.columns().size() + 1) / 16;
    }
  EXPECT_NEAR(bytes.of_group(2), pairs, kRounding);
  EXPECT_EQ(message_bytes(shape, sizeof(float)).of_group(3), of(4));
  const MessageShape dense = MessageShape::of_all(96);
  EXPECT_EQ(message_bytes(dense, {3, 5, true}, rows.view(), all).of_group(1), of(4))
      << "a layer that is swept across its inputs";
}

// By trying all sizes.
TEST(Groups, SmallestGroupOfSparseRows) {
  const MessageBytes bytes{100, 10, {1, 0.5, 0.25, 0.1, 0.05, 0.01}};
  constexpr std::size_t kRows = 200;
  for (double budget = 100; budget < 40000; budget *= 1.3) {
    std::size_t expected = 1;
    while (expected < kRows &&
           std::ceil(200.0 / static_cast<double>(expected)) * bytes.of_group(expected) >
               std::floor(budget))
      ++expected;
    EXPECT_EQ(smallest_group(kRows, bytes, static_cast<std::size_t>(budget)), expected) << budget;
  }
}

}  // namespace
}  // namespace postrider::network
