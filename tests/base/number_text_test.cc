// Numbers as text, and back: the same with every standard library and in every locale.
#include "base/number_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>

namespace postrider {
using namespace internal;
namespace {

TEST(NumberText, WhatIsWrittenReadsBack) {
  for (const double number : {0.0, -0.5, 1e-300, 0.1, 123456789.125, -1.7976931348623157e308,
                              std::numeric_limits<double>::denorm_min()}) {
    const std::optional<double> found = number_of_text<double>(shortest_text(number));
    ASSERT_TRUE(found) << number;
    EXPECT_EQ(*found, number);
  }
  EXPECT_EQ(number_of_text<double>("4.9406564584124654e-320").value(),
            1e4 * 4.9406564584124654e-324);
}

TEST(NumberText, WhatIsNoNumber) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "0x10", "one", "-", ".", "1,5", "--1", "\t1", "1e400", "1e-400"})
    EXPECT_FALSE(number_of_text<double>(text)) << text;
  for (const char* text : {"", "1.5", "-1", "18446744073709551616"})
    EXPECT_FALSE(number_of_text<std::uint64_t>(text)) << text;
  EXPECT_EQ(number_of_text<std::uint64_t>("18446744073709551615").value(), UINT64_MAX);
}

TEST(NumberText, TheBeginningOfAText) {
  double number = 7;
  const std::string_view text = "-2.5e1s";
  EXPECT_EQ(read_number(text, number).ptr, text.data() + 6);
  EXPECT_EQ(number, -25);
  const std::string_view hexadecimal = "0x10";
  EXPECT_EQ(read_number(hexadecimal, number).ptr, hexadecimal.data() + 1);
  EXPECT_EQ(number, 0);
  number = 7;
  EXPECT_EQ(read_number("x", number).ec, std::errc::invalid_argument);
  EXPECT_EQ(read_number("1e999", number).ec, std::errc::result_out_of_range);
  EXPECT_EQ(read_number("1e-999", number).ec, std::errc::result_out_of_range);
  EXPECT_EQ(number, 7);  // as it was
  EXPECT_TRUE(std::isinf(number_of_text<double>("-inf").value()));
}

// Where the machine has one that writes 1,5.
TEST(NumberText, ALocaleChangesNothing) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  EXPECT_EQ(number_of_text<double>("1.5").value(), 1.5);
  EXPECT_EQ(shortest_text(1.5), "1.5");
  std::setlocale(LC_NUMERIC, before.c_str());
}

}  // namespace
}  // namespace postrider
