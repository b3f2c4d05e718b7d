#include "data/date_words.h"

#include <gtest/gtest.h>

#include <vector>

namespace postrider::internal {
namespace {

TEST(DateWords, AreDatesWithNamesOfMonthsYearsOfTwoDigitsAndMonthsAlone) {
  for (const char* const text :
       {"Oct 24, 2024", "24 October 2024", "24. Oktober 2024", "24-Oct-24", "Thu 24 Oct 2024",
        "October 2024", "24 Oct 2024 09:30", "3rd of May 1999", "12 août 2021", "24/10/24",
        "24.10.24", "10-24-99", "2024-10", "10/2024"})
    EXPECT_TRUE(looks_like_date(text)) << text;
}

TEST(DateWords, AreNotOtherTexts) {
  for (const char* const text : {"",
                                 "May",
                                 "march",
                                 "north",
                                 "12",
                                 "1.5",
                                 "2024",
                                 "A-12",
                                 "12-34-56-78",
                                 "10.5",
                                 "44/99/10",
                                 "31-31-31",
                                 "Mark 7",
                                 "Decade 2020s",
                                 "1/2",
                                 "192.168.0.1",
                                 "2024-13",
                                 "version 1-2-3",
                                 "\xff\xfe",
                                 "Sept",
                                 "May be 2024 or so, nobody knows it by now"})
    EXPECT_FALSE(looks_like_date(text)) << text;
}

TEST(DateWords, AreThoseOfAColumnIfNearlyAllAre) {
  std::vector<std::string> texts;
  for (int day = 10; day < 30; ++day) texts.push_back("Oct " + std::to_string(day) + ", 2024");
  EXPECT_TRUE(look_like_dates(texts));
  texts.push_back("never");
  EXPECT_TRUE(look_like_dates(texts));
  for (int k = 0; k < 3; ++k) texts.emplace_back("never");
  EXPECT_FALSE(look_like_dates(texts));
  EXPECT_FALSE(look_like_dates({}));
  EXPECT_FALSE(look_like_dates(std::vector<std::string>{"Oct 24, 2024", "Oct 25, 2024"}));
}

TEST(DateWords, AreNumbersOfDaysIfTheCalendarHasThem) {
  EXPECT_TRUE(is_day_number(20241024));
  for (const double number :
       {20241324.0, 20240230.0, 20241000.0, 20241024.5, 1e300, -20241024.0, 0.0})
    EXPECT_FALSE(is_day_number(number)) << number;
}

}  // namespace
}  // namespace postrider::internal
