#include <gtest/gtest.h>

#include <cmath>

#include "monitor/profiled.h"
#include "postrider/monitor.h"

namespace postrider {
namespace {

constexpr double kDaySeconds = 86400;

std::vector<DriftWatch::Warning> found_in(const Table& fresh, std::size_t learned = 2000) {
  DriftWatch watch(profile_of(drawn_table(learned, 1)));
  watch.add(fresh);
  return watch.warnings();
}

// The one warning that there is.
DriftWatch::Warning only(const std::vector<DriftWatch::Warning>& found) {
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? DriftWatch::Warning{} : found.front();
}

TEST(DriftWatch, RowsThatAreDrawnAlikeAreNotWarnedOf) {
  std::size_t alarms = 0;
  for (std::uint64_t seed = 2; seed < 302; ++seed)
    alarms += found_in(drawn_table(20 + 3 * seed, seed)).empty() ? 0 : 1;
  // One in a hundred at most is meant; of 300, nine or more come with a probability of 4e-3 then.
  EXPECT_LE(alarms, 9u);
}

TEST(DriftWatch, AnotherUnit) {
  const DriftWatch::Warning found = only(found_in(changed_table(100, 2, [](auto& columns) {
    for (double& number : columns[kSize].numbers) number *= 1000;
  })));
  EXPECT_EQ(found.column, "size");
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::unit);
  EXPECT_NEAR(found.found / found.learned, 1000, 50);
  EXPECT_NE(found.text.find("times as large"), std::string::npos);
}

TEST(DriftWatch, AnotherUnitInAFewRows) {
  const DriftWatch::Warning found = only(found_in(changed_table(8, 2, [](auto& columns) {
    for (double& number : columns[kSize].numbers)
      number = std::isnan(number) ? 50e3 : number * 1000;
  })));
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::unit);
}

TEST(DriftWatch, ASmallerUnitThatStaysInTheRange) {
  // Both positive and negative, so that a tenth of it lies within.
  const DriftWatch::Warning found = only(found_in(changed_table(200, 2, [](auto& columns) {
    for (double& number : columns[kTarget].numbers) number *= 0.1;
  })));
  EXPECT_EQ(found.column, "y");
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::unit);
}

TEST(DriftWatch, ValuesBeyondTheRange) {
  const DriftWatch::Warning found = only(found_in(changed_table(365, 2, [](auto& columns) {
    for (double& date : columns[kDay].numbers) date -= 30 * kDaySeconds;
  })));
  EXPECT_EQ(found.column, "day");
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::range);
  EXPECT_NEAR(found.found, 30.0 / 365, 0.04);
  EXPECT_NE(found.text.find("from 1970-01-01 to 1970-12-31"), std::string::npos) << found.text;
}

TEST(DriftWatch, LaterDatesAreNone) {
  for (const double days : {7, 30, 200, 365, 700})
    EXPECT_TRUE(found_in(changed_table(365, 2,
                                       [&](auto& columns) {
                                         for (double& date : columns[kDay].numbers)
                                           date += days * kDaySeconds;
                                       }))
                    .empty())
        << days;
  // A century behind a year is more likely a mistake.
  const DriftWatch::Warning found = only(found_in(changed_table(365, 2, [](auto& columns) {
    for (double& date : columns[kDay].numbers) date += 36'525 * kDaySeconds;
  })));
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::range);
}

TEST(DriftWatch, OneRowAloneIsChance) {
  EXPECT_TRUE(found_in(changed_table(1, 2, [](auto& columns) {
                columns[kTown].codes[0] = Table::Column::kUnknown;
                columns[kSize].numbers[0] = std::numeric_limits<double>::quiet_NaN();
              })).empty());
}

TEST(DriftWatch, OneRowBeyondTheRangeIsChance) {
  EXPECT_TRUE(found_in(changed_table(40, 2, [](auto& columns) {
                columns[kDay].numbers[0] = 500 * kDaySeconds;
              })).empty());
}

TEST(DriftWatch, TextsThatWereNotLearned) {
  const DriftWatch::Warning found = only(found_in(changed_table(300, 2, [](auto& columns) {
    for (std::size_t row = 0; row < 300; row += 10)
      columns[kTown].codes[row] = Table::Column::kUnknown;
  })));
  EXPECT_EQ(found.column, "town");
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::levels);
  EXPECT_NEAR(found.found, 0.1, 1e-12);
}

// A text that is new in every tenth row is no news where every tenth text was learned once.
TEST(DriftWatch, TextsThatWereRareAreExpectedToBeNew) {
  Schema schema;
  schema.columns = {{.name = "word", .kind = ColumnSchema::Kind::categorical}};
  std::vector<Table::Column> learned(1), fresh(1);
  schema.columns[0].categories.push_back("common");
  for (std::uint32_t row = 0; row < 1000; ++row) {
    learned[0].codes.push_back(row % 10 == 0 ? row / 10 + 1 : 0);
    if (row % 10 == 0) schema.columns[0].categories.push_back("rare " + std::to_string(row));
    if (row < 300) fresh[0].codes.push_back(row % 10 == 0 ? Table::Column::kUnknown : 0);
  }
  DriftWatch watch(profile_of(Table(schema, learned)));
  watch.add(Table(schema, fresh));
  EXPECT_TRUE(watch.warnings().empty());
}

TEST(DriftWatch, MoreCellsAreMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const DriftWatch::Warning found = only(found_in(changed_table(300, 2, [&](auto& columns) {
    for (std::size_t row = 0; row < 300; row += 2) columns[kSize].numbers[row] = nan;
  })));
  EXPECT_EQ(found.column, "size");
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::missing);
  EXPECT_NEAR(found.learned, 0.1, 0.03);
  EXPECT_GT(found.found, 0.5);
}

TEST(DriftWatch, AllCellsAreMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(only(found_in(changed_table(
                     50, 2, [&](auto& columns) { columns[kSize].numbers.assign(50, nan); })))
                .kind,
            DriftWatch::Warning::Kind::missing);
}

TEST(DriftWatch, OtherValuesAreCommon) {
  const DriftWatch::Warning found = only(found_in(changed_table(500, 2, [](auto& columns) {
    for (std::uint32_t& code : columns[kTown].codes) code = code == 1 ? 0 : code;
  })));
  EXPECT_EQ(found.column, "town");
  EXPECT_EQ(found.kind, DriftWatch::Warning::Kind::shape);
  EXPECT_NEAR(found.found, 1.0 / 3, 0.1);
}

TEST(DriftWatch, ChunksAreOneWhole) {
  const Table fresh = changed_table(400, 2, [](auto& columns) {
    for (double& number : columns[kSize].numbers) number *= 1000;
  });
  DriftWatch watch(profile_of(drawn_table(2000, 1)));
  for (std::size_t row = 0; row < 400; ++row)
    watch.add(fresh.selected(std::vector<std::size_t>{row}));
  EXPECT_EQ(watch.rows(), 400u);
  EXPECT_EQ(only(watch.warnings()).kind, DriftWatch::Warning::Kind::unit);
}

TEST(DriftWatch, WithoutATargetOrAProfileNothingIsSaid) {
  EXPECT_TRUE(
      found_in(changed_table(100, 2, [](auto& columns) { columns[kTarget] = {}; })).empty());
  DriftWatch watch((TableProfile()));
  watch.add(drawn_table(10, 1));
  EXPECT_TRUE(watch.warnings().empty());
}

TEST(DriftWatch, TargetsMayBeMissing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(found_in(changed_table(300, 2, [&](auto& columns) {
                for (std::size_t row = 0; row < 300; row += 2) columns[kTarget].numbers[row] = nan;
              })).empty());
}

TEST(DriftWatch, KindsHaveNames) {
  EXPECT_EQ(to_string(DriftWatch::Warning::Kind::unit), "unit");
  EXPECT_EQ(to_string(DriftWatch::Warning::Kind::range), "range");
  EXPECT_EQ(to_string(DriftWatch::Warning::Kind::shape), "shape");
  EXPECT_EQ(to_string(DriftWatch::Warning::Kind::levels), "levels");
  EXPECT_EQ(to_string(DriftWatch::Warning::Kind::missing), "missing");
}

}  // namespace
}  // namespace postrider
