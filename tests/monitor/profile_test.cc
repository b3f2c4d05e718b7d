#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "monitor/profiled.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;
namespace {

TEST(TableProfile, ColumnsRangesAndShares) {
  const Table table = drawn_table(1000, 1);
  const TableProfile profile = profile_of(table);
  ASSERT_EQ(profile.columns.size(), 4u);  // all but the one that is ignored
  const TableProfile::Column& size = profile.columns[0];
  std::vector<double> known;
  for (const double number : table.column(kSize).numbers)
    if (!std::isnan(number)) known.push_back(number);
  std::sort(known.begin(), known.end());
  EXPECT_EQ(size.name, "size");
  EXPECT_EQ(size.rows, 1000u);
  EXPECT_EQ(size.missing, 1000 - known.size());
  EXPECT_EQ(size.least, known.front());
  EXPECT_EQ(size.largest, known.back());
  EXPECT_EQ(size.magnitude, known[known.size() / 2]);  // none is negative
  ASSERT_EQ(size.knots.size(), 17u);
  ASSERT_EQ(size.counts.size(), 18u);
  for (std::size_t k = 0; k < size.counts.size(); ++k) {
    const auto below = [&](double knot) {
      return std::upper_bound(known.begin(), known.end(), knot) - known.begin();
    };
    const auto end =
        k < size.knots.size() ? below(size.knots[k]) : static_cast<std::ptrdiff_t>(known.size());
    EXPECT_EQ(static_cast<std::ptrdiff_t>(size.counts[k]),
              end - (k == 0 ? 0 : below(size.knots[k - 1])));
  }
  const TableProfile::Column& town = profile.columns[1];
  ASSERT_EQ(town.counts.size(), 4u);
  for (std::uint32_t code = 0; code < 3; ++code)
    EXPECT_EQ(town.counts[code],
              static_cast<std::size_t>(std::count(table.column(kTown).codes.begin(),
                                                  table.column(kTown).codes.end(), code)));
  EXPECT_EQ(town.counts[3], 0u);
  EXPECT_TRUE(profile.columns[3].target);
}

TEST(TableProfile, PositionsAmongTheKnots) {
  TableProfile::Column column;
  column.knots = {10, 20, 60};
  EXPECT_DOUBLE_EQ(position_of(column, 10), 0);
  EXPECT_DOUBLE_EQ(position_of(column, 15), 0.25);
  EXPECT_DOUBLE_EQ(position_of(column, 20), 0.5);
  EXPECT_DOUBLE_EQ(position_of(column, 40), 0.75);
  EXPECT_DOUBLE_EQ(position_of(column, 60), 1);
  EXPECT_DOUBLE_EQ(position_of(column, 110), 2);
  EXPECT_DOUBLE_EQ(position_of(column, -15), -0.5);
  column.knots = {3};
  EXPECT_EQ(position_of(column, 3), 0);
  EXPECT_EQ(position_of(column, 2), -1);
  EXPECT_EQ(position_of(column, 4), 1);
}

TEST(TableProfile, AfterTheFirstCallCutsDoNotMatter) {
  const Table first = drawn_table(300, 1), more = drawn_table(1500, 2);
  TableProfile whole = profile_of(first), parts = whole;
  whole.add(more);
  for (std::size_t row = 0; row < more.rows();) {
    const std::size_t end = std::min(row + 1 + row % 97, more.rows());
    parts.add(more.selected(rows_from(row, end)));
    row = end;
  }
  EXPECT_EQ(whole, parts);
  EXPECT_EQ(whole.rows, 1800u);
  // The range grows, the knots stay.
  double largest = whole.columns[0].knots.back();
  for (const double number : more.column(kSize).numbers)
    if (number > largest) largest = number;
  EXPECT_EQ(whole.columns[0].largest, largest);
  EXPECT_GT(largest, whole.columns[0].knots.back());
  EXPECT_LE(whole.kept.size(), 512u);
  EXPECT_GT(whole.kept.size(), 256u);
}

TEST(TableProfile, RowsThatAreKeptAreEvenlySpread) {
  const Table table = drawn_table(2000, 3);
  const TableProfile profile = profile_of(table);
  ASSERT_EQ(profile.stride, 4u);
  ASSERT_EQ(profile.kept.size(), 500u);
  for (std::size_t k = 0; k < profile.kept.size(); ++k) {
    const std::size_t row = 4 * k;
    ASSERT_EQ(profile.kept[k].size(), 3u);  // without the target
    EXPECT_EQ(profile.kept[k][1], static_cast<std::int32_t>(table.column(kTown).codes[row]));
    const double number = table.column(kSize).numbers[row];
    if (std::isnan(number))
      EXPECT_EQ(profile.kept[k][0], TableProfile::kNoPosition);
    else
      EXPECT_EQ(profile.kept[k][0], std::lround(1000 * position_of(profile.columns[0], number)));
  }
}

TEST(TableProfile, RowsWithoutATargetMissIt) {
  TableProfile with = profile_of(drawn_table(100, 1)), without = with;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  with.add(changed_table(10, 2, [&](auto& columns) { columns[kTarget].numbers.assign(10, nan); }));
  without.add(changed_table(10, 2, [&](auto& columns) { columns[kTarget] = {}; }));
  EXPECT_EQ(with, without);
}

TEST(TableProfile, AColumnWithoutValuesInTheFirstRows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TableProfile profile = profile_of(
      changed_table(50, 1, [&](auto& columns) { columns[kSize].numbers.assign(50, nan); }));
  profile.add(drawn_table(50, 2));
  EXPECT_TRUE(profile.columns[0].counts.empty());
  EXPECT_EQ(profile.columns[0].rows, 100u);
}

}  // namespace
}  // namespace postrider
