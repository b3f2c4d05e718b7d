#include "data/column_summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "data/cell.h"
#include "data/date.h"
#include "data/written_number.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kMostOdd = 10;  // different texts among values
constexpr double kOddShare = 0.05;    // of texts among values, at most
// One text that comes again and again among many different values stands for a missing one.
constexpr double kMarkerShare = 0.5;

double most_odd(std::size_t different) { return different == 1 ? kMarkerShare : kOddShare; }
constexpr std::size_t kTwo = 2;  // numbers of a target that may be classes

// How a column's cells are read; `form` is one of several to try.
struct Attempt {
  const Texts& cells;
  const Markers& markers;
  ColumnSchema::Form form;
};

void add_written_number(std::string_view cell, std::size_t row, ColumnSummary& to,
                        const Attempt& how) {
  const WrittenNumber read = read_written_number(cell, how.form);
  if (read.kind == CellKind::missing) {
    ++to.missing;
  } else if (read.kind == CellKind::text) {
    if (may_be_missing(cell))
      ++to.marked;
    else
      to.add_text(cell, row);
  } else if (how.markers.has_number(read.number)) {
    ++to.missing;
  } else if (!read.unit.empty() && !to.unit.empty() && read.unit != to.unit) {
    to.add_text(cell, row);
  } else {
    if (read.unit.empty())
      ++to.without_unit;
    else
      to.unit = read.unit;
    to.has_thousands_comma = to.has_thousands_comma || read.has_comma;
    to.count_digits(cell);
    // An infinite one is meant as a number, too: reading it as one says what is wrong.
    to.add_number(read.kind == CellKind::number ? read.number : 0);
  }
}

void add_written_date(std::string_view cell, std::size_t row, ColumnSummary& to,
                      ColumnSchema::Form form) {
  if (is_missing(cell))
    ++to.missing;
  else if (may_be_missing(cell))
    ++to.marked;
  else if (const std::optional<double> seconds = read_date(cell, form))
    to.add_date(*seconds);
  else
    to.add_text(cell, row);
}

// Nothing once there are more texts than that, or more different ones than odd cells may be.
std::optional<ColumnSummary> read_as(const Attempt& how, std::size_t most_texts) {
  ColumnSummary out;
  out.rows = how.cells.size();
  out.form = how.form;
  const bool is_bounded = most_texts < out.rows;
  for (std::size_t row = 0; row < out.rows; ++row) {
    const std::string_view cell = trimmed(how.cells[row]);
    if (how.markers.has_text(cell))
      ++out.missing;
    else if (is_date_form(how.form))
      add_written_date(cell, row, out, how.form);
    else
      add_written_number(cell, row, out, how);
    if (!is_bounded || out.texts == 0) continue;
    const double allowed = most_odd(out.odd.size()) * static_cast<double>(out.rows);
    if (out.texts > most_texts || out.odd.size() > kMostOdd ||
        static_cast<double>(out.texts) > allowed)
      return {};
  }
  return out;
}

// Plain numbers with points are what most columns are; other ways are tried only if they fail.
ColumnSummary best_reading(const Texts& cells, const Markers& markers) {
  ColumnSummary best = *read_as({cells, markers, ColumnSchema::Form::decimal_point}, cells.size());
  const auto allowed = static_cast<std::size_t>(kMarkerShare * static_cast<double>(cells.size()));
  const std::size_t most_texts = std::min(allowed, best.texts);
  for (const ColumnSchema::Form form :
       {ColumnSchema::Form::decimal_comma, ColumnSchema::Form::year_first,
        ColumnSchema::Form::day_first, ColumnSchema::Form::month_first}) {
    if (best.texts == 0 && best.form != ColumnSchema::Form::day_first) break;
    const std::optional<ColumnSummary> other = read_as({cells, markers, form}, most_texts);
    if (!other || other->numbers == 0) continue;
    if (other->texts < best.texts)
      best = *other;
    else if (best.form == ColumnSchema::Form::day_first &&
             form == ColumnSchema::Form::month_first && other->texts == best.texts)
      best.is_order_open = true;
  }
  return best;
}

void sort_categories(std::vector<std::string>& categories) {
  std::vector<std::pair<double, std::string>> by_value;
  for (const std::string& category : categories)
    by_value.emplace_back(read_cell(category).number, category);
  const bool numbers = std::none_of(by_value.begin(), by_value.end(),
                                    [](const auto& each) { return std::isnan(each.first); });
  if (!numbers)
    for (auto& each : by_value) each.first = 0;
  std::sort(by_value.begin(), by_value.end());
  for (std::size_t k = 0; k < categories.size(); ++k) categories[k] = std::move(by_value[k].second);
}

void add_categories(const Texts& cells, const Markers& markers, const std::vector<bool>& copies,
                    ColumnSummary& to) {
  std::unordered_map<std::string_view, std::size_t> different;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (is_missing(cells[row]) || markers.has_text(trimmed(cells[row]))) continue;
    ++different[cells[row]];
    to.copied += !copies.empty() && copies[row] ? 1 : 0;
  }
  for (const auto& [text, rows] : different) to.categories.emplace_back(text);
  sort_categories(to.categories);
  for (const std::string& category : to.categories) to.category_rows.push_back(different[category]);
}

}  // namespace

void ColumnSummary::add_number(double number) {
  least = numbers == 0 ? number : std::min(least, number);
  greatest = numbers == 0 ? number : std::max(greatest, number);
  whole = whole && std::floor(number) == number;
  if (few.size() <= kFew) few.insert(number);
  ++numbers;
}

void ColumnSummary::add_date(double seconds) {
  parts.add(seconds);
  add_number(seconds);
}

void ColumnSummary::add_text(std::string_view text, std::size_t row) {
  if (texts++ == 0) {
    first_text = text;
    first_text_row = row;
  }
  if (odd.size() <= kMostOdd && std::find(odd.begin(), odd.end(), text) == odd.end())
    odd.emplace_back(text);
}

void ColumnSummary::count_digits(std::string_view cell) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_code = std::all_of(cell.begin(), cell.end(), is_digit);
  const std::size_t digits = is_code ? cell.size() : 0;
  zero_led += digits > 1 && cell.front() == '0' ? 1 : 0;
  fewest_digits = numbers == 0 ? digits : std::min(fewest_digits, digits);
  most_digits = std::max(most_digits, digits);
}

bool ColumnSummary::are_codes() const {
  constexpr double kLeastShare = 0.05;
  if (zero_led == 0 || fewest_digits == 0 || form != ColumnSchema::Form::decimal_point)
    return false;
  return fewest_digits == most_digits ||
         static_cast<double>(zero_led) >= kLeastShare * static_cast<double>(numbers);
}

bool ColumnSummary::has_dates() const { return is_date_form(form) && !is_order_open; }

bool ColumnSummary::has_values() const {
  if (numbers == 0 || is_order_open) return false;
  if (texts == 0) return true;
  return few.size() > kFew && odd.size() <= kMostOdd &&
         static_cast<double>(texts) <= most_odd(odd.size()) * static_cast<double>(texts + numbers);
}

void ColumnSummary::name_few_numbers() {
  if (few.size() > kFew) return;
  for (const double number : few) {
    std::array<char, 32> room{};
    const auto end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
    categories.emplace_back(room.data(), end);
  }
}

ColumnSummary summary_of(const Texts& cells, const ColumnQuestion& question,
                         const std::vector<bool>& copies) {
  ColumnSummary out =
      question.with_categories
          ? *read_as({cells, question.markers, ColumnSchema::Form::decimal_point}, cells.size())
          : best_reading(cells, question.markers);
  if (question.with_categories || !out.has_values() || out.are_codes() ||
      (question.is_target && out.few.size() <= kTwo))
    add_categories(cells, question.markers, copies, out);
  return out;
}

}  // namespace postrider::internal
