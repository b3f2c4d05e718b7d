#include "data/written_number.h"

#include <array>
#include <string>

#include "data/cell.h"

namespace postrider::internal {
namespace {

constexpr std::array<std::string_view, 5> kUnits{"$", "€", "£", "¥", "%"};
constexpr std::array<std::string_view, 2> kMinuses{"-", "\u2212"};
// Plain, not breaking, thin, and thin and not breaking.
constexpr std::array<std::string_view, 4> kSpaces{" ", "\u00a0", "\u2009", "\u202f"};
constexpr std::array<std::string_view, 2> kApostrophes{"'", "\u2019"};
constexpr std::size_t kLongest = 64;  // no number has more bytes, but for its zeros

bool take_front(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  text.remove_suffix(word.size());
  return true;
}

template <class Words>
std::string_view front_of(std::string_view& text, const Words& words) {
  for (const std::string_view word : words)
    if (take_front(text, word)) return word;
  return {};
}

template <class Words>
std::string_view back_of(std::string_view& text, const Words& words) {
  for (const std::string_view word : words)
    if (take_back(text, word)) return word;
  return {};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at_front(std::string_view text) {
  std::size_t out = 0;
  while (out < text.size() && is_digit(text[out])) ++out;
  return out;
}

// What stands around the digits.
struct Sides {
  bool is_negative = false;
  std::string_view unit;
};

// Takes one sign and one unit off, in any order; a second of either stays, and is no digit.
Sides take_sides(std::string_view& text) {
  Sides out;
  bool is_signed = text.size() > 2 && text.front() == '(' && text.back() == ')';
  out.is_negative = is_signed;
  if (is_signed) text = text.substr(1, text.size() - 2);
  for (bool found = true; found;) {
    found = !front_of(text, kSpaces).empty() || !back_of(text, kSpaces).empty();
    if (!is_signed && !front_of(text, kMinuses).empty()) {
      found = is_signed = out.is_negative = true;
    } else if (!is_signed && take_front(text, "+")) {
      found = is_signed = true;
    }
    if (!out.unit.empty()) continue;
    out.unit = front_of(text, kUnits);
    if (out.unit.empty()) out.unit = back_of(text, kUnits);
    found = found || !out.unit.empty();
  }
  return out;
}

// What stands between groups of digits, or nothing.
std::string_view take_separator(std::string_view& text, std::string_view mark) {
  if (take_front(text, mark)) return mark;
  const std::string_view space = front_of(text, kSpaces);
  return space.empty() ? front_of(text, kApostrophes) : space;
}

// Moves the digits before the decimal mark to `to`, without what separates them. False if they are no groups.
bool take_whole_part(std::string_view& text, std::string_view mark, std::string& to,
                     std::string_view& separator) {
  constexpr std::size_t kGroup = 3;
  std::size_t digits = digits_at_front(text);
  const bool may_be_grouped = digits >= 1 && digits <= kGroup && text.front() != '0';
  for (;;) {
    to += text.substr(0, digits);
    text.remove_prefix(digits);
    std::string_view rest = text;
    const std::string_view next = take_separator(rest, mark);
    if (next.empty()) return true;
    if (!may_be_grouped || (!separator.empty() && next != separator)) return false;
    digits = digits_at_front(rest);
    if (digits != kGroup) return false;
    separator = next;
    text = rest;
  }
}

}  // namespace

WrittenNumber read_written_number(std::string_view cell, ColumnSchema::Form form) {
  const bool with_comma = form == ColumnSchema::Form::decimal_comma;
  const Cell plain = read_cell(cell);
  const bool has_point = cell.find('.') != std::string_view::npos;
  if (plain.kind != CellKind::text && !(with_comma && has_point && plain.kind != CellKind::missing))
    return {plain.kind, plain.number, {}};
  const WrittenNumber text{CellKind::text, kMissingNumber, {}};
  if (cell.size() > kLongest) return text;
  std::string_view rest = cell;
  const Sides sides = take_sides(rest);
  if (rest.empty() || !(is_digit(rest.front()) || rest.front() == (with_comma ? ',' : '.')))
    return text;
  std::string digits;
  std::string_view separator;
  if (!take_whole_part(rest, with_comma ? "." : ",", digits, separator)) return text;
  if (take_front(rest, with_comma ? "," : ".")) digits += '.';
  digits += rest;
  const Cell read = read_cell(digits);
  if (read.kind != CellKind::number && read.kind != CellKind::infinite) return text;
  return {read.kind, sides.is_negative ? -read.number : read.number, sides.unit, separator == ","};
}

}  // namespace postrider::internal
