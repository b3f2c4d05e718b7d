// Text of a page: what stands for itself, and numbers as people read them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postrider {

// Safe between tags and inside quoted attributes, whatever the text holds. Control characters and
// bytes that are no UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

// Three significant digits, a true minus sign, thousands apart; "1.2×10⁻⁵" where a plain number would be
// long; "–" for what is not a number.
std::string number_text(double value, int digits = 3);
// "12,345"
std::string count_text(std::size_t count);
// "93 %" or "99.5 %"
std::string percent_text(double share);

}  // namespace postrider
