#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/date.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kTight = 1e-12;

double at(const char* text) { return *read_date(text, ColumnSchema::Form::year_first); }

std::vector<ColumnSchema::DatePart> varying(const std::vector<const char*>& dates) {
  DatePartsSeen seen;
  for (const char* const date : dates) seen.add(at(date));
  return seen.varying();
}

TEST(DateParts, OnlyThoseThatVary) {
  using enum ColumnSchema::DatePart;
  EXPECT_TRUE(varying({"2026-11-16", "2026-11-16"}).empty());
  EXPECT_EQ(varying({"2026-11-16", "2026-11-23"}), (std::vector{trend}));
  EXPECT_EQ(varying({"2026-11-16", "2026-11-17", "2026-11-16"}), (std::vector{trend, weekday}));
  EXPECT_EQ(varying({"2026-11-16 10:00", "2026-11-16 10:30"}), (std::vector{trend, hour}));
  EXPECT_EQ(varying({"2026-11-16", "2027-12-01 06:00"}),
            (std::vector{trend, year, month, weekday, hour}));
}

TEST(DateParts, InputsOfADate) {
  using enum ColumnSchema::DatePart;
  const std::vector<ColumnSchema::DatePart> parts{trend, year, month, weekday, hour};
  const std::vector<std::string> names = input_names(parts);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "trend", "year", "month", "month, sine", "month, cosine", "weekday",
                       "weekday, sine", "weekday, cosine", "hour", "hour, sine", "hour, cosine"}));
  // The second of January 1970 was a Friday, and April begins after a quarter of the year.
  std::vector<double> found(names.size());
  put_date_inputs(parts, at("1970-01-02 06:00"), found.data());
  EXPECT_NEAR(found[0], 1.25, kTight);
  EXPECT_EQ(found[1], 1970);
  EXPECT_EQ(found[2], 1);
  EXPECT_EQ(found[5], 4);
  EXPECT_NEAR(std::atan2(found[6], found[7]), 2 * M_PI * 4 / 7 - 2 * M_PI, kTight);
  EXPECT_NEAR(found[8], 6, kTight);
  EXPECT_NEAR(found[9], 1, kTight);
  EXPECT_NEAR(found[10], 0, kTight);
  put_date_inputs(std::vector{month}, at("1970-04-01"), found.data());
  EXPECT_NEAR(found[1], 1, kTight);
  EXPECT_NEAR(found[2], 0, kTight);
}

TEST(DateParts, AMissingDateHasNoInput) {
  const std::vector<ColumnSchema::DatePart> parts{ColumnSchema::DatePart::trend,
                                                  ColumnSchema::DatePart::hour};
  std::vector<double> found(4);
  put_date_inputs(parts, std::numeric_limits<double>::quiet_NaN(), found.data());
  for (const double each : found) EXPECT_TRUE(std::isnan(each));
}

}  // namespace
}  // namespace postrider
