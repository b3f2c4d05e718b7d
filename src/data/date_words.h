// Texts that a person takes for dates, and that readers do not: months by their names, years of two digits, months without a day.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace postrider::internal {

// What a note says of such a column; what follows is an example.
inline constexpr const char* kLookLikeDates = "they look like dates";

// Oct 24, 2024; 24. Oktober 2024; 24-Oct-24 09:30; October 2024; 24/10/24; 2024-10.
bool looks_like_date(std::string_view text);
// Whether nearly all of some texts do, and they are several.
bool look_like_dates(std::span<const std::string> texts);
// Whether a whole number is a day of the years 1900 to 2099 as year, month and day: 20241024.
bool is_day_number(double number);

}  // namespace postrider::internal
