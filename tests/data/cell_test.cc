#include "data/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/random_number.h"

namespace postrider {
using namespace internal;
namespace {

// The C library rounds correctly, too, and is the second opinion.
// In a longer text the same cells say the same.
TEST(Cell, ReadInPlaceIsTheSame) {
  for (const std::string cell :
       {"1", "-2.5", "1e3", "+3", "", "NA", "x", "inf", "1.5x", "-", "123456789012345678901"}) {
    const std::string text = cell + " 7:8 and more than eight bytes";
    const Cell expected = read_cell(cell),
               found = read_cell_in_place(std::string_view(text).substr(0, cell.size()));
    EXPECT_EQ(found.kind, expected.kind) << cell;
    if (expected.kind == CellKind::number) {
      EXPECT_EQ(found.number, expected.number) << cell;
    }
  }
}

TEST(Cell, NumbersAreThoseOfTheCLibraryToTheBit) {
  RandomStream random(1, 0);
  std::size_t numbers = 0;
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
  }
  EXPECT_GT(numbers, kNumbers / 2);
}

TEST(Cell, MissingWordsInAnyCase) {
  for (const char* const word : {"", "NA", "na", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?",
                                 "#N/A", "<NA>", "n.a.", "\\N"}) {
    EXPECT_TRUE(is_missing(word)) << word;
    EXPECT_EQ(read_cell(word).kind, CellKind::missing) << word;
  }
  for (const char* const word : {"none", "N", "nab", "-", "0", "NaN1", "??"})
    EXPECT_FALSE(is_missing(word)) << word;
}

TEST(Cell, WordsThatAreMissingAmongNumbersOnly) {
  for (const char* const word : {"None", "none", "-", "--", "."}) {
    EXPECT_TRUE(may_be_missing(word)) << word;
    EXPECT_FALSE(is_missing(word)) << word;
  }
  for (const char* const word : {"", "NA", "0", "---", "no"})
    EXPECT_FALSE(may_be_missing(word)) << word;
  EXPECT_TRUE(same_letters("aB-", "Ab-"));
  EXPECT_FALSE(same_letters("ab", "abc"));
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

// Whether a number is too large or too small is told by all of it, and not by its exponent's sign.
TEST(Cell, LongNumbersWithExponents) {
  const std::string zeros(400, '0');
  for (const std::string& text : std::vector<std::string>{
           "1" + zeros + "e-10", "-1" + zeros + ".0e-10", "000" + std::string("1") + zeros + "E-5",
           "0.001e400", "1e99999999999999999999", "0." + zeros + "1e9999999999999999999"})
    EXPECT_EQ(read_cell(text).kind, CellKind::infinite) << text;
  for (const std::string& text :
       std::vector<std::string>{"0." + zeros + "1e+10", "." + zeros + "1e9", "1" + zeros + "e-999",
                                "1" + zeros + "e-99999999999999999999", "1000e-400"}) {
    EXPECT_EQ(read_cell(text).kind, CellKind::number) << text;
    EXPECT_EQ(read_cell(text).number, 0) << text;
  }
  EXPECT_EQ(read_cell("1" + zeros + "e-400").number, 1);
  EXPECT_EQ(read_cell("0." + zeros + "1e401").number, 1);
  EXPECT_EQ(read_cell("0" + zeros + "e999").number, 0);
}

TEST(Cell, BlanksAroundItDoNotCount) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed("  "), "");
}

}  // namespace
}  // namespace postrider
