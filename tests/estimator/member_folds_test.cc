#include "estimator/member_folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kFolds = 8;

using Rows = std::vector<std::uint32_t>;

// One input and one target for each row, no two alike.
struct Given {
  std::vector<double> x, y;
  std::vector<std::uint32_t> groups;

  Examples rows() const { return {x, y, {}, groups}; }
};

Given distinct(std::size_t rows) {
  Given out;
  RandomStream random(3, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    out.x.push_back(random.normal());
    out.y.push_back(random.normal());
  }
  return out;
}

std::vector<Rows> left_out(const Given& given, std::size_t members,
                           ModelKind kind = ModelKind::regressor, std::uint64_t seed = 1) {
  const MemberFolds folds(given.rows(), kind, members, seed);
  std::vector<Rows> out;
  for (std::size_t m = 0; m < members; ++m) {
    const std::span<const std::uint32_t> of = folds.left_out_by(m);
    out.emplace_back(of.begin(), of.end());
  }
  return out;
}

// How many of these members leave out each row.
std::vector<std::size_t> times_left_out(const std::vector<Rows>& folds, std::size_t first,
                                        std::size_t end, std::size_t rows) {
  std::vector<std::size_t> out(rows);
  for (std::size_t m = first; m < end; ++m)
    for (const std::uint32_t row : folds[m]) ++out[row];
  return out;
}

std::vector<std::size_t> once(std::size_t rows) { return std::vector<std::size_t>(rows, 1); }

TEST(MemberFolds, EveryEightMembersLeaveOutEachRowOnce) {
  constexpr std::size_t kRows = 101;
  const std::vector<Rows> folds = left_out(distinct(kRows), 24);
  for (std::size_t first = 0; first < 24; first += kFolds) {
    EXPECT_EQ(times_left_out(folds, first, first + kFolds, kRows), once(kRows));
    for (std::size_t m = first; m < first + kFolds; ++m) {
      EXPECT_TRUE(folds[m].size() == 12 || folds[m].size() == 13) << "101 = 3 x 12 + 5 x 13";
      EXPECT_TRUE(std::ranges::is_sorted(folds[m]));
    }
  }
}

TEST(MemberFolds, RowsAreDealtAnewForTheNextEight) {
  constexpr std::size_t kRows = 400;
  const std::vector<Rows> folds = left_out(distinct(kRows), 16);
  // Two that leave out the same row have, by chance, an eighth of their other rows in common: 50/8, and hardly three
  // times as many.
  for (std::size_t a = 0; a < kFolds; ++a)
    for (std::size_t b = kFolds; b < 16; ++b) {
      Rows common;
      std::ranges::set_intersection(folds[a], folds[b], std::back_inserter(common));
      EXPECT_LT(common.size(), 19U);
    }
}

TEST(MemberFolds, TheSeedDecidesAndNothingElse) {
  const Given given = distinct(60);
  EXPECT_EQ(left_out(given, 16), left_out(given, 16));
  EXPECT_NE(left_out(given, 16), left_out(given, 16, ModelKind::regressor, 2));
  // More members do not change what the first leave out.
  std::vector<Rows> sixteen = left_out(given, 16);
  sixteen.resize(5);
  EXPECT_EQ(left_out(given, 5), sixteen);
}

TEST(MemberFolds, FewerMembersThanFoldsLeaveSomeRowsToAll) {
  constexpr std::size_t kRows = 80;
  const std::vector<Rows> folds = left_out(distinct(kRows), 3);
  for (const Rows& fold : folds) EXPECT_EQ(fold.size(), kRows / kFolds);
  const std::vector<std::size_t> times = times_left_out(folds, 0, 3, kRows);
  EXPECT_EQ(std::ranges::count(times, 0U), 50);
  EXPECT_EQ(std::ranges::count(times, 1U), 30);
}

// In which fold of the first eight each row is.
std::vector<std::size_t> fold_of_rows(const std::vector<Rows>& folds, std::size_t rows) {
  std::vector<std::size_t> out(rows);
  for (std::size_t m = 0; m < kFolds; ++m)
    for (const std::uint32_t row : folds[m]) out[row] = m;
  return out;
}

TEST(MemberFolds, CopiesStayTogether) {
  Given given = distinct(60);
  for (std::size_t i = 0; i < 20; ++i) {
    given.x[40 + i] = given.x[i];
    given.y[40 + i] = given.y[i];
  }
  given.x[59] += 1e-12;  // the inputs differ
  given.y[58] += 1e-12;  // the target does
  given.x[0] = 0.0;
  given.x[40] = -0.0;  // does not
  const std::vector<std::uint32_t> firsts = first_copies(given.rows());
  for (std::uint32_t i = 0; i < 60; ++i) EXPECT_EQ(firsts[i], i >= 40 && i < 58 ? i - 40 : i);
  const std::vector<std::size_t> fold = fold_of_rows(left_out(given, kFolds), 60);
  for (std::size_t i = 40; i < 58; ++i) EXPECT_EQ(fold[i], fold[i - 40]) << i;
}

TEST(MemberFolds, SparseRowsAreComparedByAllTheirInputs) {
  SparseInputs inputs{.columns = 3};
  const auto add = [&](const std::vector<std::pair<std::size_t, double>>& numbers) {
    for (const auto& [column, value] : numbers) inputs.add(column, value);
    inputs.end_row();
  };
  add({{0, 1}});
  add({{2, 1}});
  add({{2, 1}});
  add({{0, 0}, {2, 1}});  // a zero that is there
  const std::vector<double> targets(4, 5), numbers{1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1};
  EXPECT_EQ(first_copies({inputs, targets}), (Rows{0, 1, 1, 1}));
  EXPECT_EQ(first_copies({numbers, targets}), (Rows{0, 1, 1, 1}));
}

// A few kinds of rows that repeat by nature: to leave out all of a kind asks for what cannot be known.
TEST(MemberFolds, CopiesAreDealtLikeOthersWhereMostRowsAreSome) {
  constexpr std::size_t kRows = 80;
  Given given;
  for (std::size_t i = 0; i < kRows; ++i) {
    given.x.push_back(static_cast<double>(i % 4));
    given.y.push_back(static_cast<double>(i % 2));
  }
  const std::vector<Rows> folds = left_out(given, kFolds);
  EXPECT_EQ(times_left_out(folds, 0, kFolds, kRows), once(kRows));
  for (const Rows& fold : folds) EXPECT_EQ(fold.size(), kRows / kFolds) << "of four kinds";
}

TEST(MemberFolds, GroupsStayTogetherHoweverLargeTheyAre) {
  Given given = distinct(120);
  // They have 30, 10, 10, ... rows, and names that are no row's number.
  for (std::uint32_t i = 0; i < 120; ++i)
    given.groups.push_back(i < 30 ? 4000000000U : 7 * (i / 10));
  const std::vector<Rows> folds = left_out(given, 16);
  for (const std::size_t first : {std::size_t{0}, kFolds})
    EXPECT_EQ(times_left_out(folds, first, first + kFolds, 120), once(120));
  for (const Rows& fold : folds) {
    ASSERT_FALSE(fold.empty());
    for (const std::uint32_t group : given.groups) {
      std::size_t here = 0;
      for (const std::uint32_t row : fold) here += given.groups[row] == group ? 1 : 0;
      const auto all = static_cast<std::size_t>(std::ranges::count(given.groups, group));
      EXPECT_TRUE(here == 0 || here == all) << "group " << group;
    }
  }
  EXPECT_EQ(std::ranges::max(folds, {}, &Rows::size).size(), 30U)
      << "the largest is alone in its fold";
}

TEST(MemberFolds, GroupsOutweighCopies) {
  Given given = distinct(40);
  given.x.assign(40, 1);
  given.y.assign(40, 2);
  for (std::uint32_t i = 0; i < 40; ++i) given.groups.push_back(i % 10);
  const std::vector<std::size_t> fold = fold_of_rows(left_out(given, kFolds), 40);
  for (std::size_t i = 10; i < 40; ++i) EXPECT_EQ(fold[i], fold[i - 10]);
}

TEST(MemberFolds, ClassesAreSharedOutEvenly) {
  constexpr std::size_t kRows = 200, kRare = 16;
  Given given = distinct(kRows);
  for (std::size_t i = 0; i < kRows; ++i) given.y[i] = i < kRare ? 2 : static_cast<double>(i % 2);
  for (const Rows& fold : left_out(given, 16, ModelKind::classifier)) {
    std::vector<std::size_t> counts(3);
    for (const std::uint32_t row : fold) ++counts[static_cast<std::size_t>(given.y[row])];
    EXPECT_EQ(counts[2], kRare / kFolds);
    for (const std::size_t common : {0U, 1U})
      EXPECT_TRUE(counts[common] == 11 || counts[common] == 12) << "92 = 4 x 11 + 4 x 12";
  }
}

TEST(MemberFolds, OneRowIsLearnedByAllAndTwoAreLeftOutInTurn) {
  for (const Rows& fold : left_out(distinct(1), 16)) EXPECT_TRUE(fold.empty());
  const std::vector<Rows> of_two = left_out(distinct(2), 16);
  for (std::size_t m = 0; m < 16; m += 2) {
    EXPECT_EQ(of_two[m].size(), 1U);
    EXPECT_EQ(of_two[m + 1].size(), 1U);
    EXPECT_NE(of_two[m], of_two[m + 1]);
  }
  Given one_group = distinct(30);
  one_group.groups.assign(30, 5);
  for (const Rows& fold : left_out(one_group, 16)) EXPECT_TRUE(fold.empty());
}

TEST(MemberFolds, ShardsLeaveOutEachRowOnceInEveryEightMembers) {
  constexpr std::size_t kRows = 45;
  std::vector<Rows> folds;
  for (std::size_t m = 0; m < 16; ++m) folds.push_back(left_out_of_shard(kRows, m, 3, 1));
  for (const std::size_t first : {std::size_t{0}, kFolds})
    EXPECT_EQ(times_left_out(folds, first, first + kFolds, kRows), once(kRows));
  for (std::size_t m = 0; m < kFolds; ++m) {
    EXPECT_TRUE(std::ranges::is_sorted(folds[m]));
    EXPECT_NE(folds[m], folds[m + kFolds]);
  }
  EXPECT_EQ(left_out_of_shard(kRows, 2, 3, 1), folds[2]);
  EXPECT_NE(left_out_of_shard(kRows, 2, 4, 1), folds[2]) << "another shard";
  EXPECT_NE(left_out_of_shard(kRows, 2, 3, 2), folds[2]) << "another seed";
}

// A group's fold is the same whichever rows of it a shard has, so that no member learns some of them and leaves out others.
TEST(MemberFolds, ShardsLeaveOutWholeGroups) {
  constexpr std::uint32_t kGroups = 40;
  const std::vector<std::uint32_t> some{7, 3, 7, 12, 39, 3, 0}, all_once = [] {
    std::vector<std::uint32_t> out(kGroups);
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }();
  std::vector<Rows> folds;
  for (std::size_t m = 0; m < 16; ++m) {
    folds.push_back(left_out_of_shard(kGroups, m, 3, 1, all_once));
    // Eight groups in a row are in eight folds.
    EXPECT_EQ(folds[m].size(), kGroups / kFolds);
    Rows expected;
    for (std::uint32_t row = 0; row < some.size(); ++row)
      if (std::ranges::find(folds[m], some[row]) != folds[m].end()) expected.push_back(row);
    EXPECT_EQ(left_out_of_shard(some.size(), m, 5, 1, some), expected) << "another shard";
  }
  for (const std::size_t first : {std::size_t{0}, kFolds})
    EXPECT_EQ(times_left_out(folds, first, first + kFolds, kGroups), once(kGroups));
  EXPECT_NE(folds[0], folds[kFolds]) << "dealt anew";
  EXPECT_NE(left_out_of_shard(kGroups, 0, 3, 2, all_once), folds[0]) << "another seed";
}

// Many shards of a row each: no member leaves out all of them, or none.
TEST(MemberFolds, SmallShardsBeginWithDifferentFolds) {
  constexpr std::size_t kShards = 400;
  for (std::size_t m = 0; m < 16; ++m) {
    std::size_t count = 0;
    for (std::uint64_t shard = 0; shard < kShards; ++shard)
      count += left_out_of_shard(1, m, shard, 1).size();
    // 50 on average, with a standard deviation of 6.6.
    EXPECT_GT(count, 25U);
    EXPECT_LT(count, 75U);
  }
}

}  // namespace
}  // namespace postrider
