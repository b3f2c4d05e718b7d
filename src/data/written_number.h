// Short decimal numbers, as most cells are, read without a branch per digit: how many digits a number
// has can hardly be predicted, and eight of them take as long as one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "data/cell.h"
#include "postrider/table.h"

namespace postrider::internal {

// So many bytes must be readable from the one on that ends a number.
inline constexpr std::size_t kBytesBehindNumber = sizeof(std::uint64_t);

namespace simple_number {

// 64 bits surely hold so many digits.
inline constexpr std::size_t kMostDigits = 19;
inline constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
inline constexpr std::ptrdiff_t kMostPower =
    22;  // 10^22 is the largest power of ten that is a double
inline constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t kShifts[] = {1,       10,        100,        1'000,      10'000,
                                            100'000, 1'000'000, 10'000'000, 100'000'000};

struct Digits {
  std::uint64_t value = 0;
  std::size_t count = 0;
};

// Those of the eight bytes at this place before the first that is not a digit, read as a number.
inline Digits leading_digits(const char* at) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  // The upper half of a digit is 3, and stays so if 6 is added. What is carried to a later byte comes
  // from one that is no digit itself.
  const std::uint64_t others = (bytes & (bytes + 0x06 * kEach) & (0xf0 * kEach)) ^ (0x30 * kEach);
  const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
  if (count == 0) return {};
  // The digits with zeros in front, the last in the uppermost byte; then sums of pairs, of pairs of
  // pairs and of the two halves, each in one multiplication.
  std::uint64_t sum = (bytes ^ (0x30 * kEach)) << (64 - 8 * count);
  sum = sum * 10 + (sum >> 8);
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  constexpr std::uint64_t kUpper = 100 + (std::uint64_t{1'000'000} << 32);
  constexpr std::uint64_t kLower = 1 + (std::uint64_t{10'000} << 32);
  sum = ((sum & kPairs) * kUpper + ((sum >> 16) & kPairs) * kLower) >> 32;
  return {sum, count};
}

// Behind all digits from this place on, which are added to those before.
inline const char* take_digits(const char* at, Digits& to) {
  for (;;) {
    const Digits next = leading_digits(at);
    to.value = to.value * kShifts[next.count] + next.value;
    to.count += next.count;
    at += next.count;
    if (next.count < sizeof(std::uint64_t)) return at;
  }
}

// Behind the exponent whose e or E is at this place, or nullptr if it has no digit, or too many.
inline const char* take_exponent(const char* at, std::ptrdiff_t& power) {
  ++at;
  const bool down = *at == '-';
  at += down || *at == '+' ? 1 : 0;
  const Digits exponent = leading_digits(at);
  const auto size = static_cast<std::ptrdiff_t>(exponent.value);
  if (exponent.count % sizeof(std::uint64_t) == 0 || size > 10 * kMostPower) return nullptr;
  power += down ? -size : size;
  return at + exponent.count;
}

}  // namespace simple_number

// The value of a short decimal number and where it ends, or nullptr if it is not as simple as that:
// then read_cell() must see to it. Stops at the first byte that does not belong to the number. Exact:
// the digits and the power of ten are both doubles, and their product or quotient is rounded once.
inline const char* read_simple_number(const char* at, double& out) {
  using namespace simple_number;
  const bool negative = *at == '-';
  Digits digits;
  at = take_digits(at + (negative ? 1 : 0), digits);
  std::ptrdiff_t power = 0;
  if (*at == '.') {
    const char* const point = at + 1;
    at = take_digits(point, digits);
    power = point - at;
  }
  if (digits.count == 0 || digits.count > kMostDigits || digits.value > kMostExact) return nullptr;
  if (*at == 'e' || *at == 'E') {
    at = take_exponent(at, power);
    if (at == nullptr) return nullptr;
  }
  if (power < -kMostPower || power > kMostPower) return nullptr;
  const auto whole = static_cast<double>(digits.value);
  const double size = power < 0 ? whole / kPowers[-power] : whole * kPowers[power];
  // The sign by its bit: a branch here would be mispredicted for every other number.
  out = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | std::uint64_t{negative} << 63);
  return at;
}

// --- Numbers as people write them: with the sign of a currency or of percent, and with thousands apart.

struct WrittenNumber {
  CellKind kind;
  double number;           // NaN unless it is one
  std::string_view unit;   // $, €, £, ¥ or %; empty if none is written
  bool has_comma = false;  // between thousands
};

// Reads a trimmed cell, with decimal points or with decimal commas. Besides what read_cell() takes:
//  - one unit, before or behind the number; 12.5% is 12.5 in the unit %;
//  - groups of three digits behind one to three, all separated by a comma (a point where the comma is decimal), by
//    spaces or by apostrophes, one of them throughout; the first digit is not 0;
//  - brackets in place of a minus, and the minus of typographers.
WrittenNumber read_written_number(std::string_view cell, ColumnSchema::Form form);

}  // namespace postrider::internal
