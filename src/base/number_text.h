// Numbers as text, and back.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

// Clang's standard library reads whole numbers only before its version 20.
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#define POSTRIDER_READS_BY_C
#include <locale.h>
#include <stdlib.h>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif

#include <cerrno>
#include <cmath>
#endif

namespace postrider::internal {

// Shortest text that reads back to the same double; at most 24 characters, as in
// -1.7976931348623157e+308.
inline std::string shortest_text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

// std::from_chars of the text's beginning, whatever the locale says: no blanks, no plus sign.
template <class N>
std::from_chars_result read_number(std::string_view text, N& out) {
  return std::from_chars(text.data(), text.data() + text.size(), out);
}

#ifdef POSTRIDER_READS_BY_C
// C's strtod takes more: blanks and a plus sign in front, and hexadecimal digits.
inline std::from_chars_result read_number(std::string_view text, double& out) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::from_chars_result none{text.data(), std::errc::invalid_argument};
  const std::string ended(text.substr(0, text.find_first_of("xX")));
  if (ended.empty() ||
      std::string_view("+ \t\n\v\f\r").find(ended.front()) != std::string_view::npos)
    return none;
  char* end = nullptr;
  errno = 0;
  const double found = strtod_l(ended.c_str(), &end, plain);
  if (end == ended.c_str()) return none;
  const char* const reached = text.data() + (end - ended.c_str());
  // What is so small that it loses digits is a number all the same.
  if (errno == ERANGE && (found == 0 || std::isinf(found)))
    return {reached, std::errc::result_out_of_range};
  out = found;
  return {reached, std::errc()};
}
#endif

// All of a text; none where it is no number, or one that the type cannot hold.
template <class N>
std::optional<N> number_of_text(std::string_view text) {
  N out{};
  const auto [end, trouble] = read_number(text, out);
  if (trouble != std::errc() || end != text.data() + text.size()) return {};
  return out;
}

}  // namespace postrider::internal
