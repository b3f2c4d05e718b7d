#include "table/group_coverage.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace postrider {
using namespace internal;
namespace {

constexpr std::size_t kRows = 400;

Schema schema_of_sites() {
  Schema schema;
  schema.columns.push_back(
      {.name = "site", .kind = ColumnSchema::Kind::categorical, .categories = {"a", "b"}});
  schema.columns.push_back({.name = "size"});
  schema.columns.push_back({.name = "y", .target = true});
  return schema;
}

// Every fourth row is of site b; sizes rise with the rows.
Table sites() {
  std::vector<Table::Column> columns(3);
  for (std::size_t row = 0; row < kRows; ++row) {
    columns[0].codes.push_back(row % 4 == 0 ? 1 : 0);
    columns[1].numbers.push_back(static_cast<double>(row));
    columns[2].numbers.push_back(0);
  }
  return {schema_of_sites(), std::move(columns)};
}

// Levels above which intervals hold the rows: evenly spread, but of some rows too high.
std::vector<double> levels(const std::function<bool(std::size_t)>& is_far) {
  std::vector<double> out;
  for (std::size_t row = 0; row < kRows; ++row) {
    const double even = static_cast<double>((row * 149) % kRows) / static_cast<double>(kRows);
    out.push_back(is_far(row) ? 0.75 + even / 4 : even);
  }
  return out;
}

std::vector<TableWarning> found_of(const std::vector<double>& levels) {
  const Table table = sites();
  TableProfile profile;
  profile.add(table);
  GroupCoverage coverage(table.schema(), profile);
  std::vector<std::size_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  coverage.add(table, rows, levels);
  return coverage.warnings(0.9);
}

TEST(GroupCoverage, SaysNothingWhereIntervalsHoldTheirShareEverywhere) {
  EXPECT_TRUE(found_of(levels([](std::size_t) { return false; })).empty());
}

TEST(GroupCoverage, NamesTheCategoryThatIntervalsDoNotHold) {
  const std::vector<TableWarning> found =
      found_of(levels([](std::size_t row) { return row % 4 == 0; }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, TableWarning::Kind::coverage);
  EXPECT_EQ(found[0].column, "site");
  EXPECT_EQ(found[0].text.substr(0, 56),
            "Intervals of 90 % hold 60 % of the 100 rows where site i");
  // An even spread from 0.75 to 1 has nine tenths below 0.975.
  EXPECT_EQ(found[0].values, std::vector<std::string>{"0.975"});
}

TEST(GroupCoverage, NamesTheQuarterOfNumbersThatIntervalsDoNotHold) {
  const std::vector<TableWarning> found =
      found_of(levels([](std::size_t row) { return row > 305; }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].column, "size");
  EXPECT_NE(found[0].text.find("where size is above "), std::string::npos) << found[0].text;
}

TEST(GroupCoverage, LeavesAloneWhatIsSoOfAllRows) {
  EXPECT_TRUE(found_of(levels([](std::size_t) { return true; })).empty());
}

}  // namespace
}  // namespace postrider
