// What a cell of a table says: a number, a text, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace postrider {

enum class CellKind { number, missing, text, infinite };

struct Cell {
  CellKind kind;
  double number;  // NaN unless it is one
};

// Spaces and tabs around it do not count.
std::string_view trimmed(std::string_view cell);
// Of a trimmed cell: empty, NA, N/A, NaN, null or ?, in capitals or not.
bool is_missing(std::string_view cell);
// Of a trimmed cell. A number is decimal, correctly rounded, with a point whatever the locale is.
// Infinite: written so, or too large for a double.
Cell read_cell(std::string_view cell);

// The value of a short decimal number and where it ends, or nullptr if it is not as simple as that:
// then read_cell() must see to it. Stops at the first byte that does not belong to the number, so that
// the text must end with one that does not. Exact: the digits and the power of ten are both doubles,
// and their product or quotient is rounded once.
inline const char* read_simple_number(const char* at, double& out) {
  constexpr int kMostDigits = 19;  // that surely fit 64 bits
  constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
  constexpr int kMostPower = 22;  // 10^22 is the largest power of ten that is a double
  constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const auto digit = [](char c) { return static_cast<unsigned>(c - '0'); };
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  std::uint64_t digits = 0;
  const char* const begin = at;
  for (; digit(*at) < 10; ++at) digits = digits * 10 + digit(*at);
  auto count = at - begin;
  std::ptrdiff_t power = 0;
  if (*at == '.') {
    const char* const point = ++at;
    for (; digit(*at) < 10; ++at) digits = digits * 10 + digit(*at);
    power = point - at;
    count -= power;
  }
  if (count == 0 || count > kMostDigits || digits > kMostExact) return nullptr;
  if (*at == 'e' || *at == 'E') {
    ++at;
    const bool down = *at == '-';
    at += *at == '-' || *at == '+' ? 1 : 0;
    if (digit(*at) >= 10) return nullptr;
    int exponent = 0;
    for (; digit(*at) < 10; ++at) {
      exponent = exponent * 10 + static_cast<int>(digit(*at));
      if (exponent > 10 * kMostPower) return nullptr;
    }
    power += down ? -exponent : exponent;
  }
  if (power < -kMostPower || power > kMostPower) return nullptr;
  const auto whole = static_cast<double>(digits);
  const double size = power < 0 ? whole / kPowers[-power] : whole * kPowers[power];
  out = negative ? -size : size;
  return at;
}

// The same as read_cell() and faster, for a cell behind which there is one more byte.
inline Cell read_followed_cell(std::string_view cell) {
  double number = 0;
  if (read_simple_number(cell.data(), number) == cell.data() + cell.size() && !cell.empty())
    return {CellKind::number, number};
  return read_cell(cell);
}

}  // namespace postrider
