#include "data/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"

namespace postrider {
namespace {

std::uint64_t bits(double x) {
  std::uint64_t out = 0;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

std::string random_number(RandomStream& random) {
  std::string out = random.below(2) == 0 ? "-" : "";
  for (std::uint64_t k = random.below(12); k > 0; --k)
    out += static_cast<char>('0' + random.below(10));
  if (random.below(3) > 0) {
    out += '.';
    for (std::uint64_t k = random.below(12); k > 0; --k)
      out += static_cast<char>('0' + random.below(10));
  }
  if (random.below(3) == 0) {
    out += random.below(2) == 0 ? 'e' : 'E';
    const std::uint64_t sign = random.below(3);
    out += sign == 0 ? "" : sign == 1 ? "-" : "+";
    out += std::to_string(random.below(random.below(2) == 0 ? 30 : 400));
  }
  return out;
}

// The C library rounds correctly, too, and is the second opinion.
TEST(Cell, NumbersAreThoseOfTheCLibraryToTheBit) {
  RandomStream random(1, 0);
  std::size_t simple = 0, numbers = 0;
  constexpr std::size_t kNumbers = 300'000;
  for (std::size_t k = 0; k < kNumbers; ++k) {
    const std::string text = random_number(random);
    const char* const end = text.c_str() + text.size();
    char* stopped = nullptr;
    const double expected = std::strtod(text.c_str(), &stopped);
    const Cell found = read_cell(text);
    if (stopped != end || text.empty()) {
      EXPECT_NE(found.kind, CellKind::number) << text;
      continue;
    }
    if (std::isinf(expected)) {
      EXPECT_EQ(found.kind, CellKind::infinite) << text;
      continue;
    }
    ++numbers;
    ASSERT_EQ(found.kind, CellKind::number) << text;
    EXPECT_EQ(bits(found.number), bits(expected)) << text;
    EXPECT_EQ(bits(read_followed_cell(text).number), bits(expected)) << text;
    double quick = 0;
    if (read_simple_number(text.c_str(), quick) == end) {
      ++simple;
      EXPECT_EQ(bits(quick), bits(expected)) << text;
    }
  }
  EXPECT_GT(numbers, kNumbers / 2);
  EXPECT_GT(simple, numbers / 3);
}

TEST(Cell, SimpleNumbersEndWhereTheyEnd) {
  for (const std::string text : {"1", "-2.5", "0.125e2", "3.", ".5", "12e-3"}) {
    const std::string followed = text + ",7";
    double number = 0;
    EXPECT_EQ(read_simple_number(followed.c_str(), number), followed.c_str() + text.size());
    EXPECT_EQ(number, std::strtod(text.c_str(), nullptr));
  }
  for (const char* const text :
       {"", "-", ".", "abc", "1e", "1e+", "+1", " 1", "12345678901234567890"}) {
    double number = 0;
    EXPECT_EQ(read_simple_number(text, number), nullptr) << text;
  }
}

TEST(Cell, MissingWordsInAnyCase) {
  for (const char* const word : {"", "NA", "na", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?"}) {
    EXPECT_TRUE(is_missing(word)) << word;
    EXPECT_EQ(read_cell(word).kind, CellKind::missing) << word;
  }
  for (const char* const word : {"none", "N", "nab", "-", "0", "NaN1", "??"})
    EXPECT_FALSE(is_missing(word)) << word;
}

TEST(Cell, TextsInfinitiesAndSigns) {
  for (const char* const text : {"abc", "1x", "--1", "+-1", "0x10", "nan(1)", "-nan", "1e", "e5",
                                 "1,5", "1 2", "+", "-", "."})
    EXPECT_EQ(read_cell(text).kind, CellKind::text) << text;
  for (const char* const text : {"inf", "-INF", "+Infinity", "1e999", "-1e400"})
    EXPECT_EQ(read_cell(text).kind, CellKind::infinite) << text;
  EXPECT_EQ(read_cell("+3").number, 3);
  EXPECT_EQ(bits(read_cell("-0").number), bits(-0.0));
  EXPECT_EQ(read_cell("1e-999").number, 0);
  EXPECT_EQ(read_cell("0." + std::string(400, '0') + "1").number, 0);
}

TEST(Cell, BlanksAroundItDoNotCount) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed("  "), "");
}

}  // namespace
}  // namespace postrider
