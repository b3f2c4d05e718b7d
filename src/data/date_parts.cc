#include "data/date_parts.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "data/date.h"

namespace postrider::internal {
namespace {

constexpr std::array kAllParts{DatePart::trend, DatePart::year, DatePart::month, DatePart::weekday,
                               DatePart::hour};

bool is_cyclic(DatePart part) { return part >= DatePart::month; }

double value_of(DatePart part, double seconds, const CalendarTime& time) {
  switch (part) {
    case DatePart::trend:
      return seconds / kSecondsOfDay;
    case DatePart::year:
      return time.year;
    case DatePart::month:
      return time.month;
    case DatePart::weekday:
      return time.weekday;
    case DatePart::hour:
      break;
  }
  return time.hour;
}

// From 0 to 1, once around.
double turn_of(DatePart part, const CalendarTime& time) {
  constexpr double kMonths = 12, kDaysOfMonth = 31, kDaysOfWeek = 7, kHours = 24;
  if (part == DatePart::month) return (time.month - 1 + (time.day - 1) / kDaysOfMonth) / kMonths;
  return part == DatePart::weekday ? time.weekday / kDaysOfWeek : time.hour / kHours;
}

}  // namespace

void DatePartsSeen::add(double seconds) {
  const CalendarTime time = calendar_time(seconds);
  for (std::size_t k = 0; k < kAllParts.size(); ++k) {
    const double value = value_of(kAllParts[k], seconds, time);
    if (!any_) first_[k] = value;
    varies_[k] = varies_[k] || value != first_[k];
  }
  any_ = true;
}

std::vector<DatePart> DatePartsSeen::varying() const {
  std::vector<DatePart> out;
  for (std::size_t k = 0; k < kAllParts.size(); ++k)
    if (varies_[k]) out.push_back(kAllParts[k]);
  return out;
}

std::vector<std::string> input_names(std::span<const DatePart> parts) {
  std::vector<std::string> out;
  for (const DatePart part : parts) {
    const std::string name(to_string(part));
    out.push_back(name);
    if (!is_cyclic(part)) continue;
    out.push_back(name + ", sine");
    out.push_back(name + ", cosine");
  }
  return out;
}

void put_date_inputs(std::span<const DatePart> parts, double seconds, double* to) {
  const bool is_missing = std::isnan(seconds);
  const CalendarTime time = is_missing ? CalendarTime() : calendar_time(seconds);
  const auto put = [&](double value) {
    *to++ = is_missing ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  for (const DatePart part : parts) {
    put(value_of(part, seconds, time));
    if (!is_cyclic(part)) continue;
    const double angle = 2 * std::numbers::pi * turn_of(part, time);
    put(std::sin(angle));
    put(std::cos(angle));
  }
}

}  // namespace postrider::internal
