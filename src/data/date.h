// Dates and times of day as they are written, and the calendar.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/table.h"

namespace postrider::internal {

inline constexpr double kSecondsOfDay = 86'400;

bool is_date_form(ColumnSchema::Form form);

// Seconds since 1970 began; nothing if it is no date of this form. Of a trimmed cell:
//  - 2026-11-16, 2026/11/16 or 2026.11.16 where the year is first, else 16/11/2026 or 11/16/2026, also with - between;
//    with points only the day can be first;
//  - behind it, after T or spaces, perhaps 12:30, 12:30:59 or 12:30:59.5, with AM or PM, and with Z, UTC, +02:00, +0200 or
//    +02. A cell with a zone is an instant, by the clock of Greenwich, as timestamps with a zone are in Arrow; one without is taken as it stands.
std::optional<double> read_date(std::string_view cell, ColumnSchema::Form form);

struct CalendarTime {
  int year = 0, month = 0, day = 0;  // from 1
  int weekday = 0;                   // 0: Monday
  double hour = 0;                   // with its minutes and seconds as a fraction
};
CalendarTime calendar_time(double seconds);

// Whether a number of seconds lies in the years 0 to 9999, which others cannot be written.
bool is_in_calendar(double seconds);

// --- What a network is told of dates.
//
//   trend    days since 1970, with their fraction
//   year     its number
//   month    from 1, and the place in the year as a sine and a cosine
//   weekday  from 0, Monday, and the place in the week as a sine and a cosine
//   hour     with its fraction, and the place in the day as a sine and a cosine
//
// A number alone would tear Sunday and Monday, December and January apart; the pair alone would hide a single day.

inline constexpr std::size_t kDateParts = 5;

// Which parts vary over some dates.
class DatePartsSeen {
 public:
  void add(double seconds);
  std::vector<ColumnSchema::DatePart> varying() const;

 private:
  bool any_ = false;
  std::array<double, kDateParts> first_{};
  std::array<bool, kDateParts> varies_{};
};

// Names of the inputs of these parts, in order: "trend", "year", "month", "month, sine", ...
std::vector<std::string> input_names(std::span<const ColumnSchema::DatePart> parts);
// No more than three of each part.
inline constexpr std::size_t kMostDateInputs = 3 * kDateParts;
// Puts as many numbers; NaN for a date that is missing.
void put_date_inputs(std::span<const ColumnSchema::DatePart> parts, double seconds, double* to);

}  // namespace postrider::internal
