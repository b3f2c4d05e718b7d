#include "data/date.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <string>

#include "data/cell.h"
#include "data/cell_columns.h"
#include "data/column_summary.h"
#include "data/row_source.h"
#include "postrider/error.h"
#include "postrider/table.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kSecondsOfHour = 3600, kSecondsOfMinute = 60;

// Reads a text from its front on; what it has failed at, it has not taken.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool ended() const { return text_.empty(); }

  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // The one of these that is there, or '\0'.
  char take_any(std::string_view of) {
    if (text_.empty() || of.find(text_.front()) == std::string_view::npos) return '\0';
    const char out = text_.front();
    text_.remove_prefix(1);
    return out;
  }
  bool take_word(std::string_view word) {
    if (!same_letters(text_.substr(0, word.size()), word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void take_spaces() {
    while (take(' ')) {
    }
  }
  // A number of so many digits, or nothing.
  std::optional<int> digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < text_.size() && text_[count] >= '0' && text_[count] <= '9') ++count;
    if (count < least || count > most) return {};
    int out = 0;
    std::from_chars(text_.data(), text_.data() + count, out);
    text_.remove_prefix(count);
    return out;
  }

 private:
  std::string_view text_;
};

// Days since 1970.
std::optional<double> day_number(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

std::optional<double> take_day(Scanner& from, ColumnSchema::Form form) {
  const bool year_first = form == ColumnSchema::Form::year_first;
  std::array<std::optional<int>, 3> parts;
  parts[0] = year_first ? from.digits(4, 4) : from.digits(1, 2);
  const char separator = from.take_any("-/.");
  parts[1] = from.digits(1, 2);
  if (separator == '\0' || !from.take(separator)) return {};
  parts[2] = year_first ? from.digits(1, 2) : from.digits(4, 4);
  if (!parts[0] || !parts[1] || !parts[2]) return {};
  if (year_first) return day_number(*parts[0], *parts[1], *parts[2]);
  if (form == ColumnSchema::Form::day_first) return day_number(*parts[2], *parts[1], *parts[0]);
  return separator == '.' ? std::nullopt : day_number(*parts[2], *parts[0], *parts[1]);
}

// What lies behind the point, as a fraction.
double take_fraction(Scanner& from) {
  double out = 0, unit = 0.1;
  while (const char digit = from.take_any("0123456789")) {
    out += (digit - '0') * unit;
    unit /= 10;
  }
  return out;
}

bool take_half_of_day(Scanner& from, int& hour) {
  Scanner behind = from;
  behind.take_spaces();
  const bool is_late = behind.take_word("pm");
  if (!is_late && !behind.take_word("am")) return true;
  from = behind;
  if (hour < 1 || hour > 12) return false;
  hour = hour % 12 + (is_late ? 12 : 0);
  return true;
}

// Seconds that the clock is ahead of Greenwich; 0 where a cell does not say.
std::optional<double> take_zone(Scanner& from) {
  from.take_spaces();
  if (from.ended() || from.take_word("utc") || from.take_word("z")) return 0;
  const char sign = from.take_any("+-");
  if (sign == '\0') return {};
  int hours = 0, minutes = 0;
  if (const std::optional<int> both = from.digits(4, 4)) {
    hours = *both / 100;
    minutes = *both % 100;
  } else {
    const std::optional<int> first = from.digits(2, 2);
    if (!first) return {};
    hours = *first;
    if (from.take(':')) {
      const std::optional<int> second = from.digits(2, 2);
      if (!second) return {};
      minutes = *second;
    }
  }
  const double ahead = hours * kSecondsOfHour + minutes * kSecondsOfMinute;
  return sign == '-' ? -ahead : ahead;
}

// Seconds since midnight in Greenwich, if the cell says its zone; of an empty rest, 0.
std::optional<double> take_clock(Scanner& from) {
  if (from.ended()) return 0;
  if (from.take_any("Tt ") == '\0') return {};
  from.take_spaces();
  const std::optional<int> hours = from.digits(1, 2);
  if (!hours || !from.take(':')) return {};
  const std::optional<int> minutes = from.digits(2, 2);
  double seconds = 0;
  if (from.take(':')) {
    const std::optional<int> whole = from.digits(2, 2);
    if (!whole || *whole > 60) return {};  // 60 is a leap second
    seconds = *whole;
    if (from.take_any(".,") != '\0') seconds += take_fraction(from);
  }
  int hour = *hours;
  if (!minutes || *minutes > 59 || !take_half_of_day(from, hour) || hour > 23) return {};
  const std::optional<double> ahead = take_zone(from);
  if (!ahead) return {};
  return hour * kSecondsOfHour + *minutes * kSecondsOfMinute + seconds - *ahead;
}

}  // namespace

namespace internal {

bool is_date_form(ColumnSchema::Form form) {
  return form != ColumnSchema::Form::decimal_point && form != ColumnSchema::Form::decimal_comma;
}

std::optional<double> read_date(std::string_view cell, ColumnSchema::Form form) {
  Scanner from(cell);
  const std::optional<double> day = take_day(from, form);
  if (!day) return {};
  const std::optional<double> clock = take_clock(from);
  if (!clock || !from.ended()) return {};
  const double out = *day * kSecondsOfDay + *clock;
  return is_in_calendar(out) ? std::optional(out) : std::nullopt;
}

CalendarTime calendar_time(double seconds) {
  const double day = std::floor(seconds / kSecondsOfDay);
  const std::chrono::sys_days days{std::chrono::days(static_cast<int>(day))};
  const std::chrono::year_month_day date(days);
  CalendarTime out;
  out.year = static_cast<int>(date.year());
  out.month = static_cast<int>(static_cast<unsigned>(date.month()));
  out.day = static_cast<int>(static_cast<unsigned>(date.day()));
  out.weekday = static_cast<int>(std::chrono::weekday(days).iso_encoding()) - 1;
  out.hour = (seconds - day * kSecondsOfDay) / kSecondsOfHour;
  return out;
}

bool is_in_calendar(double seconds) {
  constexpr double kFirst = -719'528 * kSecondsOfDay, kEnd = 2'932'897 * kSecondsOfDay;
  return seconds >= kFirst && seconds < kEnd;
}

}  // namespace internal

std::string date_text(double seconds) {
  const CalendarTime time = calendar_time(seconds);
  const double day = std::floor(seconds / kSecondsOfDay);
  const int clock = static_cast<int>(seconds - day * kSecondsOfDay);
  std::array<char, 64> room{};
  std::snprintf(room.data(), room.size(), "%04d-%02d-%02d", time.year, time.month, time.day);
  std::string out = room.data();
  if (clock == 0) return out;
  std::snprintf(room.data(), room.size(), " %02d:%02d", clock / 3600, clock / 60 % 60);
  out += room.data();
  if (clock % 60 == 0) return out;
  std::snprintf(room.data(), room.size(), ":%02d", clock % 60);
  return out + room.data();
}

}  // namespace postrider

namespace postrider::internal {
namespace {

constexpr std::array kAllParts{ColumnSchema::DatePart::trend, ColumnSchema::DatePart::year,
                               ColumnSchema::DatePart::month, ColumnSchema::DatePart::weekday,
                               ColumnSchema::DatePart::hour};

bool is_cyclic(ColumnSchema::DatePart part) { return part >= ColumnSchema::DatePart::month; }

double value_of(ColumnSchema::DatePart part, double seconds, const CalendarTime& time) {
  switch (part) {
    case ColumnSchema::DatePart::trend:
      return seconds / kSecondsOfDay;
    case ColumnSchema::DatePart::year:
      return time.year;
    case ColumnSchema::DatePart::month:
      return time.month;
    case ColumnSchema::DatePart::weekday:
      return time.weekday;
    case ColumnSchema::DatePart::hour:
      break;
  }
  return time.hour;
}

// From 0 to 1, once around.
double turn_of(ColumnSchema::DatePart part, const CalendarTime& time) {
  constexpr double kMonths = 12, kDaysOfMonth = 31, kDaysOfWeek = 7, kHours = 24;
  if (part == ColumnSchema::DatePart::month)
    return (time.month - 1 + (time.day - 1) / kDaysOfMonth) / kMonths;
  return part == ColumnSchema::DatePart::weekday ? time.weekday / kDaysOfWeek : time.hour / kHours;
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

std::vector<ColumnSchema::DatePart> DatePartsSeen::varying() const {
  std::vector<ColumnSchema::DatePart> out;
  for (std::size_t k = 0; k < kAllParts.size(); ++k)
    if (varies_[k]) out.push_back(kAllParts[k]);
  return out;
}

std::vector<std::string> input_names(std::span<const ColumnSchema::DatePart> parts) {
  std::vector<std::string> out;
  for (const ColumnSchema::DatePart part : parts) {
    const std::string name(to_string(part));
    out.push_back(name);
    if (!is_cyclic(part)) continue;
    out.push_back(name + ", sine");
    out.push_back(name + ", cosine");
  }
  return out;
}

void put_date_inputs(std::span<const ColumnSchema::DatePart> parts, double seconds, double* to) {
  const bool is_missing = std::isnan(seconds);
  const CalendarTime time = is_missing ? CalendarTime() : calendar_time(seconds);
  const auto put = [&](double value) {
    *to++ = is_missing ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  for (const ColumnSchema::DatePart part : parts) {
    put(value_of(part, seconds, time));
    if (!is_cyclic(part)) continue;
    const double angle = 2 * std::numbers::pi * turn_of(part, time);
    put(std::sin(angle));
    put(std::cos(angle));
  }
}

}  // namespace postrider::internal

namespace postrider {

// --- Cells of one column in an order: numbers or dates.

std::vector<double> times_of(const std::string& column, std::span<const std::string> cells) {
  Texts texts;
  for (const std::string& cell : cells) texts.add(cell);
  const ColumnSummary seen = summary_of(texts, {});
  if (seen.numbers == 0 || seen.texts > 0)
    reject("time", column,
           "must hold dates or numbers, and has " + shown(seen.first_text) +
               (seen.is_order_open ? ", of which it cannot be told whether day or month is first"
                                   : ""));
  ColumnSchema as;
  as.name = column;
  as.kind = seen.has_dates() ? ColumnSchema::Kind::date : ColumnSchema::Kind::numeric;
  as.form = seen.form;
  as.unit = seen.unit;
  CellColumn to = cell_column({}, as, /*is_inferred=*/true);
  to.resize(cells.size());
  const std::string name = "the column";
  std::string cell;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    // A number is read with the byte behind it, which only a copy surely has.
    cell = cells[row];
    put_cell(to, row, cell, {name, row + 1, "row"});
    if (std::isnan(to.cells.numbers[row]))
      reject("time", column,
             "must be known in every row, and is missing in row " + std::to_string(row + 1));
  }
  return std::move(to.cells.numbers);
}

}  // namespace postrider
