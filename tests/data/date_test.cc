#include "data/date.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

constexpr ColumnSchema::Form kYear = ColumnSchema::Form::year_first,
                             kDay = ColumnSchema::Form::day_first,
                             kMonth = ColumnSchema::Form::month_first;

// The C library's calendar is the second opinion.
double seconds_of(int year, int month, int day, int hour = 0, int minute = 0, int second = 0) {
  std::tm time{};
  time.tm_year = year - 1900;
  time.tm_mon = month - 1;
  time.tm_mday = day;
  time.tm_hour = hour;
  time.tm_min = minute;
  time.tm_sec = second;
  return static_cast<double>(timegm(&time));
}

TEST(Date, DaysInAllForms) {
  const double day = seconds_of(2026, 11, 16);
  for (const char* const text : {"2026-11-16", "2026/11/16", "2026.11.16"})
    EXPECT_EQ(read_date(text, kYear), day) << text;
  for (const char* const text : {"16/11/2026", "16.11.2026", "16-11-2026"})
    EXPECT_EQ(read_date(text, kDay), day) << text;
  for (const char* const text : {"11/16/2026", "11-16-2026"})
    EXPECT_EQ(read_date(text, kMonth), day) << text;
  EXPECT_EQ(read_date("1/2/2026", kDay), seconds_of(2026, 2, 1));
  EXPECT_EQ(read_date("1/2/2026", kMonth), seconds_of(2026, 1, 2));
  EXPECT_EQ(read_date("1969-12-31", kYear), -86400);
  EXPECT_EQ(read_date("2024-02-29", kYear), seconds_of(2024, 2, 29));
}

TEST(Date, TimesBehindThem) {
  const double noon = seconds_of(2026, 11, 16, 12, 30);
  for (const char* const text :
       {"2026-11-16 12:30", "2026-11-16T12:30:00Z", "2026-11-16T12:30:00.000Z",
        "2026-11-16 12:30:00 UTC", "2026-11-16 12:30 PM", "2026-11-16  12:30pm",
        // The same instant by other clocks, as Arrow and data frames have it.
        "2026-11-16 14:30:00+02:00", "2026-11-16T07:30-0500", "2026-11-16T14:30+02",
        "2026-11-17T02:00+13:30", "2026-11-15T22:30:00 -14:00"})
    EXPECT_EQ(read_date(text, kYear), noon) << text;
  EXPECT_EQ(read_date("11/16/2026 1:05:09 PM", kMonth), seconds_of(2026, 11, 16, 13, 5, 9));
  EXPECT_EQ(read_date("16.11.2026 00:00:59", kDay), seconds_of(2026, 11, 16, 0, 0, 59));
  EXPECT_EQ(read_date("2026-11-16 12:00 am", kYear), seconds_of(2026, 11, 16));
  EXPECT_EQ(read_date("2026-11-16 12:30:00.25", kYear), noon + 0.25);
}

TEST(Date, OthersAreNone) {
  for (const char* const text : {"",
                                 "2026",
                                 "2026-11",
                                 "2026-13-01",
                                 "2026-02-30",
                                 "2023-02-29",
                                 "2026-11/16",
                                 "26-11-16",
                                 "2026-11-16x",
                                 "2026-11-16 ",
                                 "2026-11-16 12",
                                 "2026-11-16 24:00",
                                 "2026-11-16 12:60",
                                 "2026-11-16 12:30:61",
                                 "2026-11-16 13:30 PM",
                                 "2026-11-16 0:30 PM",
                                 "2026-11-16 12:30 CET",
                                 "2026-11-16 12:30+2",
                                 "0000-00-00",
                                 "20261116",
                                 "12345-01-01",
                                 "16/11/2026"})
    EXPECT_EQ(read_date(text, kYear), std::nullopt) << text;
  for (const char* const text : {"11/16/2026", "2026-11-16", "31.04.2026", "1/2/26"})
    EXPECT_EQ(read_date(text, kDay), std::nullopt) << text;
  for (const char* const text : {"16/11/2026", "11.12.2026"})
    EXPECT_EQ(read_date(text, kMonth), std::nullopt) << text;
}

TEST(Date, TheCalendarIsTheCLibrarys) {
  RandomStream random(3, 0);
  for (int k = 0; k < 20'000; ++k) {
    const double seconds = std::floor(random.uniform(-6e10, 2.5e11));
    const auto whole = static_cast<std::time_t>(seconds);
    std::tm expected{};
    gmtime_r(&whole, &expected);
    const CalendarTime found = calendar_time(seconds);
    EXPECT_EQ(found.year, expected.tm_year + 1900);
    EXPECT_EQ(found.month, expected.tm_mon + 1);
    EXPECT_EQ(found.day, expected.tm_mday);
    EXPECT_EQ(found.weekday, (expected.tm_wday + 6) % 7);
    EXPECT_NEAR(found.hour, expected.tm_hour + expected.tm_min / 60.0 + expected.tm_sec / 3600.0,
                1e-6);
    EXPECT_TRUE(is_in_calendar(seconds));
    EXPECT_EQ(read_date(date_text(seconds), kYear), seconds) << date_text(seconds);
  }
}

TEST(Date, TextsAreAsShortAsTheyCanBe) {
  EXPECT_EQ(date_text(seconds_of(2026, 11, 16)), "2026-11-16");
  EXPECT_EQ(date_text(seconds_of(2026, 11, 16, 9, 5)), "2026-11-16 09:05");
  EXPECT_EQ(date_text(seconds_of(1969, 1, 2, 9, 5, 1)), "1969-01-02 09:05:01");
}

TEST(Date, TheCalendarHasEnds) {
  const double end = seconds_of(9999, 12, 31, 23, 59, 59);
  EXPECT_TRUE(is_in_calendar(end));
  EXPECT_FALSE(is_in_calendar(end + 1));
  EXPECT_TRUE(is_in_calendar(*read_date("0000-01-01", kYear)));
  EXPECT_FALSE(is_in_calendar(*read_date("0000-01-01", kYear) - 1));
}

TEST(Date, AnyBytesAreReadWithoutHarm) {
  RandomStream random(4, 0);
  const std::string_view signs = "0123456789-/.: TZ+AMPu";
  for (int k = 0; k < 200'000; ++k) {
    std::string text = random.below(2) == 0 ? "2026-11-16" : "";
    for (std::size_t left = random.below(12); left > 0; --left)
      text += signs[random.below(signs.size())];
    for (const ColumnSchema::Form form : {kYear, kDay, kMonth})
      if (const auto found = read_date(text, form)) {
        EXPECT_TRUE(is_in_calendar(*found)) << text;
      }
  }
}

}  // namespace
}  // namespace postrider
