#include "data/cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "base/number_text.h"
#include "data/written_number.h"

namespace postrider::internal {
namespace {

constexpr std::array<std::string_view, 9> kMissingWords{"na",   "n/a",  "nan",  "null", "?",
                                                        "#n/a", "<na>", "n.a.", "\\n"};
constexpr std::array<std::string_view, 4> kPerhapsMissing{"none", "-", "--", "."};
constexpr std::array<std::string_view, 2> kInfinite{"inf", "infinity"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <class Words>
bool is_one_of(std::string_view cell, const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return same_letters(cell, word); });
}

// The power of ten behind e or E; the largest or smallest if it is larger or smaller still.
long exponent_of(std::string_view unsigned_number) {
  const std::size_t at = unsigned_number.find_first_of("eE");
  if (at == std::string_view::npos) return 0;
  std::string_view digits = unsigned_number.substr(at + 1);
  if (digits.front() == '+') digits.remove_prefix(1);  // from_chars takes only the other sign
  constexpr long kFar = std::numeric_limits<long>::max() / 2;  // no cell has so many digits
  long out = 0;
  const auto trouble = std::from_chars(digits.data(), digits.data() + digits.size(), out).ec;
  if (trouble == std::errc::result_out_of_range) return digits.front() == '-' ? -kFar : kFar;
  return std::clamp(out, -kFar, kFar);
}

// Whether a number that no double can hold is too small, and not too large: by the power of ten of
// its first digit that is not zero. Its exponent alone does not tell, since any number of zeros may
// stand around the point.
bool vanishes(std::string_view unsigned_number) {
  const std::string_view digits = unsigned_number.substr(0, unsigned_number.find_first_of("eE"));
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_not_of("0.");
  const long place = static_cast<long>(point) - static_cast<long>(first);
  return place + exponent_of(unsigned_number) < 0;
}

// Whether all of the cell is a short number. The copy is there because the reader of such numbers looks
// at bytes behind them.
bool is_simple_number(std::string_view cell, double& number) {
  constexpr std::size_t kLongest = 24;
  if (cell.size() > kLongest) return false;
  std::array<char, kLongest + kBytesBehindNumber> followed{};
  std::copy_n(cell.data(), cell.size(), followed.data());
  return read_simple_number(followed.data(), number) == followed.data() + cell.size();
}

}  // namespace

std::string_view trimmed(std::string_view cell) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!cell.empty() && blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && blank(cell.back())) cell.remove_suffix(1);
  return cell;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_missing(std::string_view cell) { return cell.empty() || is_one_of(cell, kMissingWords); }

bool may_be_missing(std::string_view cell) { return is_one_of(cell, kPerhapsMissing); }

Cell read_cell(std::string_view cell) {
  double number = 0;
  if (is_simple_number(cell, number)) return {CellKind::number, number};
  if (is_missing(cell)) return {CellKind::missing, kMissingNumber};
  const bool negative = cell.front() == '-';
  std::string_view size = cell;
  if (negative || cell.front() == '+') size.remove_prefix(1);
  if (is_one_of(size, kInfinite)) return {CellKind::infinite, kMissingNumber};
  // from_chars would take "nan(5)" and a second sign.
  if (size.empty() || !(size.front() == '.' || (size.front() >= '0' && size.front() <= '9')))
    return {CellKind::text, kMissingNumber};
  const auto [end, trouble] = read_number(size, number);
  if (trouble == std::errc::invalid_argument || end != size.data() + size.size())
    return {CellKind::text, kMissingNumber};
  if (trouble == std::errc::result_out_of_range) {
    if (!vanishes(size)) return {CellKind::infinite, kMissingNumber};
    number = 0;
  }
  return {CellKind::number, negative ? -number : number};
}

Cell read_cell_in_place(std::string_view cell) {
  double number = 0;
  const char* const end = read_simple_number(cell.data(), number);
  if (end == cell.data() + cell.size()) return {CellKind::number, number};
  return read_cell(cell);
}

}  // namespace postrider::internal
