// Text of a page: what stands for itself, and numbers as people read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postrider::internal {

// Safe between tags and inside quoted attributes, whatever the text holds. Control characters and
// bytes that are no UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

// With a capital in front and a full stop behind.
std::string sentence(std::string text);

// Three significant digits, a true minus sign, thousands apart; "1.2×10⁻⁵" where a plain number would be
// long; "–" for what is not a number.
std::string number_text(double value, int digits = 3);
// The same with zeros at the end: a measured value.
std::string measured_text(double value, int digits = 3);
// "8.43 ± 0.11": the error with two digits, the value with as many decimals.
std::string with_error_text(double value, double error);
// 10 to the power: "0.01", "10⁻⁵".
std::string power_text(int exponent);
// By how much something grows, a share: "23 %", or "12 times" where it is so large as that.
std::string growth_text(double share);
// "12,345"
std::string count_text(std::size_t count);
// "93 %" or "99.5 %"
std::string percent_text(double share);

}  // namespace postrider::internal
