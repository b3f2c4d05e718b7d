// Dates and times of day as they are written, and the calendar.
#pragma once

#include <optional>
#include <string_view>

#include "postrider/table.h"

namespace postrider::internal {

inline constexpr double kSecondsOfDay = 86'400;

bool is_date_form(CellForm form);

// Seconds since 1970 began; nothing if it is no date of this form. Of a trimmed cell:
//  - 2026-11-16, 2026/11/16 or 2026.11.16 where the year is first, else 16/11/2026 or 11/16/2026, also with - between;
//    with points only the day can be first;
//  - behind it, after T or spaces, perhaps 12:30, 12:30:59 or 12:30:59.5, with AM or PM, and with Z, UTC, +02:00, +0200 or
//    +02. A cell with a zone is an instant, by the clock of Greenwich, as timestamps with a zone are in Arrow; one without is taken as it stands.
std::optional<double> read_date(std::string_view cell, CellForm form);

struct CalendarTime {
  int year = 0, month = 0, day = 0;  // from 1
  int weekday = 0;                   // 0: Monday
  double hour = 0;                   // with its minutes and seconds as a fraction
};
CalendarTime calendar_time(double seconds);

// Whether a number of seconds lies in the years 0 to 9999, which others cannot be written.
bool is_in_calendar(double seconds);

}  // namespace postrider::internal
