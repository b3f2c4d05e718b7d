// What a cell of a table says: a number, a text, or nothing.
#pragma once

#include <limits>
#include <string_view>

namespace postrider::internal {

inline constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();

enum class CellKind { number, missing, text, infinite };

struct Cell {
  CellKind kind;
  double number;  // NaN unless it is one
};

// Spaces and tabs around it do not count.
std::string_view trimmed(std::string_view cell);
// Whether a trimmed cell is empty, NA, N/A, #N/A, <NA>, n.a., NaN, null, \N or ?, in capitals or not.
bool is_missing(std::string_view cell);
// Whether a trimmed cell is None, -, -- or a point. Among numbers and dates it is missing; among texts it may be one of them.
bool may_be_missing(std::string_view cell);
// The same but for capitals of ASCII.
bool same_letters(std::string_view a, std::string_view b);
// Takes a trimmed cell. A number is decimal, correctly rounded, with a point whatever the locale is.
// Infinite: written so, or too large for a double.
Cell read_cell(std::string_view cell);
// The same for a cell with kBytesBehindNumber readable bytes behind it, as in a TextWindow: no copy is made.
Cell read_cell_in_place(std::string_view cell);

}  // namespace postrider::internal
