#include "data/written_number.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/random_number.h"

namespace postrider {
using namespace internal;
namespace {

constexpr ColumnSchema::Form kPoint = ColumnSchema::Form::decimal_point,
                             kComma = ColumnSchema::Form::decimal_comma;

struct Case {
  const char* text;
  double number;
  const char* unit;
};

void expect_numbers(const std::vector<Case>& cases, ColumnSchema::Form form) {
  for (const Case& each : cases) {
    const WrittenNumber found = read_written_number(each.text, form);
    EXPECT_EQ(found.kind, CellKind::number) << each.text;
    EXPECT_EQ(found.number, each.number) << each.text;
    EXPECT_EQ(found.unit, each.unit) << each.text;
  }
}

TEST(WrittenNumber, UnitsThousandsAndSigns) {
  expect_numbers({{"12", 12, ""},
                  {"-1.5e3", -1500, ""},
                  {"$1,234.50", 1234.5, "$"},
                  {"-$5", -5, "$"},
                  {"$-5", -5, "$"},
                  {"+7 €", 7, "€"},
                  {"€ 1 234 567", 1234567, "€"},
                  {"£12", 12, "£"},
                  {"¥1,000", 1000, "¥"},
                  {"12.5%", 12.5, "%"},
                  {"% 3", 3, "%"},
                  {"1'234'567.5", 1234567.5, ""},
                  {"1\u2019234", 1234, ""},
                  {"1\u00a0234", 1234, ""},
                  {"12\u202f345", 12345, ""},
                  {"\u22123", -3, ""},
                  {"(1,234)", -1234, ""},
                  {"($5.25)", -5.25, "$"},
                  {".5 %", .5, "%"},
                  {"1,234e2", 123400, ""}},
                 kPoint);
  expect_numbers({{"12", 12, ""},
                  {"95,65", 95.65, ""},
                  {"-1,5e3", -1500, ""},
                  {"1.234", 1234, ""},
                  {"1.234.567,89 €", 1234567.89, "€"},
                  {"1 234,5", 1234.5, ""},
                  {"0,125", .125, ""},
                  {"12,5 %", 12.5, "%"},
                  {",5", .5, ""}},
                 kComma);
}

TEST(WrittenNumber, OthersAreTexts) {
  for (const char* const text :
       {"1,5",         "12,34,567", "1,234 567", "0,123", "1234,567", "1,23", "$",
        "%",           "$$5",       "5%%",       "--5",   "(5",       "()",   "(-5)",
        "1.2.3",       "12 kg",     "USD 5",     "1,",    "1,234,",   ",123", "1 2",
        "030 123 456", "1_000",     "$ € 5",     "10:30", "5 -"})
    EXPECT_EQ(read_written_number(text, kPoint).kind, CellKind::text) << text;
  for (const char* const text : {"1.5", "1,234.5", "1.23", "1,2,3", "12.34.567", "0.123"})
    EXPECT_EQ(read_written_number(text, kComma).kind, CellKind::text) << text;
}

TEST(WrittenNumber, WhatNeedsNoCareIsReadAsBefore) {
  EXPECT_EQ(read_written_number("NA", kPoint).kind, CellKind::missing);
  EXPECT_EQ(read_written_number("n.a.", kComma).kind, CellKind::missing);
  EXPECT_EQ(read_written_number("-inf", kPoint).kind, CellKind::infinite);
  EXPECT_EQ(read_written_number("$1e999", kPoint).kind, CellKind::infinite);
  EXPECT_EQ(read_written_number("blue", kPoint).kind, CellKind::text);
  EXPECT_TRUE(read_written_number("1,234", kPoint).has_comma);
  EXPECT_FALSE(read_written_number("1 234", kPoint).has_comma);
}

// Digits with separators put between them are the number without, as the C library reads it.
TEST(WrittenNumber, GroupsOfRandomNumbers) {
  RandomStream random(5, 0);
  constexpr std::array<const char*, 4> kSeparators{"", " ", "'", "\u202f"};
  for (int k = 0; k < 50'000; ++k) {
    const bool with_comma = random.below(2) == 1;
    std::string separator = kSeparators[random.below(4)];
    if (random.below(2) == 1) separator = with_comma ? "." : ",";
    std::string digits = std::to_string(1 + random.below(9));
    const std::size_t more = random.below(12);
    for (std::size_t d = 0; d < more; ++d) digits += std::to_string(random.below(10));
    std::string written;
    for (std::size_t d = 0; d < digits.size(); ++d) {
      if (d > 0 && (digits.size() - d) % 3 == 0) written += separator;
      written += digits[d];
    }
    std::string plain = digits;
    if (random.below(2) == 1) {
      const std::string fraction = std::to_string(random.below(1'000'000));
      written += (with_comma ? "," : ".") + fraction;
      plain += "." + fraction;
    }
    if (random.below(3) == 0) {
      written = "-" + written;
      plain = "-" + plain;
    }
    if (random.below(3) == 0) written = random.below(2) == 0 ? "$" + written : written + " $";
    const WrittenNumber found = read_written_number(written, with_comma ? kComma : kPoint);
    ASSERT_EQ(found.kind, CellKind::number) << written;
    EXPECT_EQ(bits(found.number), bits(std::strtod(plain.c_str(), nullptr))) << written;
  }
}

// Whatever is written, reading ends, and a number is finite.
TEST(WrittenNumber, AnyBytesAreReadWithoutHarm) {
  RandomStream random(6, 0);
  const std::string_view signs = "0123456789.,' -+$%()eE\xe2\x82\xac\xc2\xa0";
  for (int k = 0; k < 100'000; ++k) {
    std::string text;
    for (std::size_t left = random.below(14); left > 0; --left)
      text += signs[random.below(signs.size())];
    for (const ColumnSchema::Form form : {kPoint, kComma}) {
      const WrittenNumber found = read_written_number(trimmed(text), form);
      EXPECT_EQ(found.kind == CellKind::number, found.number == found.number) << text;
    }
  }
}

}  // namespace
}  // namespace postrider
