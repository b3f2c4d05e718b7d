#include "postrider/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

// Every row on one side.
void expect_whole(const Fold& fold, std::size_t rows) {
  std::vector<std::size_t> all = fold.learned;
  all.insert(all.end(), fold.left_out.begin(), fold.left_out.end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), rows);
  for (std::size_t row = 0; row < rows; ++row) EXPECT_EQ(all[row], row);
  EXPECT_TRUE(std::ranges::is_sorted(fold.learned));
  EXPECT_TRUE(std::ranges::is_sorted(fold.left_out));
}

std::vector<std::string> named_groups(std::size_t rows, std::size_t groups) {
  RandomStream random(3, 0);
  std::vector<std::string> out;
  for (std::size_t row = 0; row < rows; ++row)
    out.push_back("g" + std::to_string(random.below(groups)));
  return out;
}

std::set<std::string> names_of(const std::vector<std::string>& groups,
                               const std::vector<std::size_t>& rows) {
  std::set<std::string> out;
  for (const std::size_t row : rows) out.insert(groups[row]);
  return out;
}

TEST(Splits, AtRandomIsAFunctionOfTheSeed) {
  const Fold one = split_at_random(100, 0.2, 1), again = split_at_random(100, 0.2, 1);
  expect_whole(one, 100);
  EXPECT_EQ(one.left_out.size(), 20u);
  EXPECT_EQ(one.left_out, again.left_out);
  EXPECT_NE(one.left_out, split_at_random(100, 0.2, 2).left_out);
  EXPECT_THROW(split_at_random(3, 0.1, 1), InvalidArgument);
  EXPECT_THROW(split_at_random(100, 1, 1), InvalidArgument);
}

TEST(Splits, ByTimeThePastIsLearned) {
  std::vector<double> times;
  for (std::size_t row = 0; row < 100; ++row)
    times.push_back(static_cast<double>((row * 37) % 100));
  const Fold fold = split_by_time(times, 0.25);
  expect_whole(fold, 100);
  EXPECT_EQ(fold.left_out.size(), 25u);
  for (const std::size_t early : fold.learned)
    for (const std::size_t late : fold.left_out) EXPECT_LT(times[early], times[late]);
}

TEST(Splits, RowsOfOneTimeAreOnOneSide) {
  const std::vector<double> times{1, 1, 1, 2, 2, 2, 2, 3, 3, 3};
  const Fold fold = split_by_time(times, 0.4);  // in the middle of the second time
  EXPECT_EQ(fold.left_out, (std::vector<std::size_t>{7, 8, 9}));
  EXPECT_THROW(split_by_time(std::vector<double>(5, 1.0), 0.5), InvalidArgument);
  EXPECT_THROW(split_by_time(std::vector<double>{1, 0.0 / 0.0, 3}, 0.5), InvalidArgument);
}

TEST(Splits, GroupsAreNeverOnBothSides) {
  const std::vector<std::string> groups = named_groups(500, 20);
  const Fold fold = split_by_group(groups, 0.3, 1);
  expect_whole(fold, 500);
  for (const std::string& name : names_of(groups, fold.learned))
    EXPECT_EQ(names_of(groups, fold.left_out).count(name), 0u);
  EXPECT_NEAR(static_cast<double>(fold.left_out.size()), 150, 25);
  EXPECT_NE(fold.left_out, split_by_group(groups, 0.3, 2).left_out);
  EXPECT_THROW(split_by_group(std::vector<std::string>(9, "one"), 0.3, 1), InvalidArgument);
}

TEST(Splits, FoldsByTimeAreWindowsThatGrow) {
  std::vector<double> times;
  for (std::size_t row = 0; row < 60; ++row) times.push_back(static_cast<double>((row * 7) % 60));
  const std::vector<Fold> folds = folds_by_time(times, 3);
  ASSERT_EQ(folds.size(), 3u);
  std::set<std::size_t> left_out;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    EXPECT_EQ(folds[k].learned.size(), 15 * (k + 1));
    EXPECT_EQ(folds[k].left_out.size(), 15u);
    for (const std::size_t row : folds[k].left_out) {
      EXPECT_TRUE(left_out.insert(row).second);
      for (const std::size_t early : folds[k].learned) EXPECT_LT(times[early], times[row]);
    }
  }
  EXPECT_EQ(left_out.size(), 45u);
  EXPECT_THROW(folds_by_time(std::vector<double>{1, 1, 2, 2}, 2), InvalidArgument);
}

TEST(Splits, FoldsByGroupAreEven) {
  const std::vector<std::string> groups = named_groups(400, 30);
  const std::vector<Fold> folds = folds_by_group(groups, 4, 1);
  std::set<std::size_t> left_out;
  for (const Fold& fold : folds) {
    expect_whole(fold, 400);
    EXPECT_NEAR(static_cast<double>(fold.left_out.size()), 100, 10);
    for (const std::string& name : names_of(groups, fold.learned))
      EXPECT_EQ(names_of(groups, fold.left_out).count(name), 0u);
    left_out.insert(fold.left_out.begin(), fold.left_out.end());
  }
  EXPECT_EQ(left_out.size(), 400u);
  EXPECT_NE(folds.front().left_out, folds_by_group(groups, 4, 2).front().left_out);
  EXPECT_THROW(folds_by_group(groups, 31, 1), InvalidArgument);
}

TEST(Splits, GroupsAreNumbersOfNamesAndStretchesOfTime) {
  const std::vector<std::string> names{"b", "a", "b", "", "a"};
  EXPECT_EQ(groups_of_names(names), (std::vector<std::uint32_t>{0, 1, 0, 2, 1}));
  // Two times for each of 32 stretches; then fewer times than stretches, of which each is one.
  std::vector<double> times;
  for (std::size_t row = 0; row < 64; ++row) times.push_back(static_cast<double>((row * 37) % 64));
  const std::vector<std::uint32_t> found = groups_of_times(times);
  for (std::size_t row = 0; row < 64; ++row)
    EXPECT_EQ(found[row], static_cast<std::uint32_t>(times[row] / 2));
  const std::vector<std::uint32_t> few = groups_of_times(std::vector<double>{3, 1, 2});
  EXPECT_TRUE(few[1] < few[2] && few[2] < few[0]);
  EXPECT_TRUE(groups_of_names({}).empty() && groups_of_times({}).empty());
}

// Whichever rows a fold learns: those of one name have one number, and stretches are those of the times learned.
TEST(Splits, FoldsSayWhichOfTheirRowsBelongTogether) {
  const std::vector<std::string> names = named_groups(200, 15);
  std::vector<Fold> by_name = folds_by_group(names, 3, 1);
  by_name.push_back(split_by_group(names, 0.3, 1));
  for (const Fold& fold : by_name) {
    ASSERT_EQ(fold.groups.size(), fold.learned.size());
    for (std::size_t a = 0; a < fold.learned.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_EQ(fold.groups[a] == fold.groups[b],
                  names[fold.learned[a]] == names[fold.learned[b]]);
  }
  std::vector<double> times;
  for (std::size_t row = 0; row < 160; ++row)
    times.push_back(static_cast<double>((row * 37) % 160));
  std::vector<Fold> by_time = folds_by_time(times, 3);
  by_time.push_back(split_by_time(times, 0.25));
  for (const Fold& fold : by_time) {
    ASSERT_EQ(fold.groups.size(), fold.learned.size());
    for (std::size_t a = 0; a < fold.learned.size(); ++a) {
      // All rows before some time are learned, so that a time is the number of rows before it.
      const auto before = static_cast<std::size_t>(times[fold.learned[a]]);
      EXPECT_EQ(fold.groups[a], before * 32 / fold.learned.size());
    }
  }
  EXPECT_TRUE(split_at_random(200, 0.3, 1).groups.empty());
}

}  // namespace
}  // namespace postrider
