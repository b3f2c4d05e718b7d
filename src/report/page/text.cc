#include "report/page/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace postrider::internal {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD", kMinus = "\xE2\x88\x92";
constexpr double kLargestPlain = 1e6, kSmallestPlain = 1e-3;

// How many bytes of well-formed UTF-8 begin here; 0 if it is none. Surrogates, overlong forms and what
// lies above U+10FFFF are none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool allowed = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F);
    return allowed && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool allowed = !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    return allowed && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

std::string_view replacement(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
    case '\r':
      return " ";
    default:
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? kReplacement : std::string_view{};
  }
}

std::string superscript(int exponent) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent)))
    out += kDigits[static_cast<std::size_t>(digit - '0')];
  return out;
}

std::string with_thousands(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string without_trailing_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 1) {
      const std::string_view instead = replacement(text[0]);
      out += instead.empty() ? text.substr(0, 1) : instead;
    } else {
      out += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

namespace {

std::string significant(double value, int digits, bool keep_zeros) {
  if (std::isnan(value)) return "–";
  const auto trimmed = [&](const std::string& text) {
    return keep_zeros ? text : without_trailing_zeros(text);
  };
  const std::string sign = value < 0 ? std::string(kMinus) : "";
  const double size = std::abs(value);
  if (std::isinf(value)) return sign + "∞";
  if (size == 0) return "0";
  if (size >= kLargestPlain || size < kSmallestPlain) {
    const std::string text = fmt::format("{:.{}e}", size, std::max(0, digits - 2));
    const std::size_t e = text.find('e');
    return sign + trimmed(text.substr(0, e)) + "×10" + superscript(std::stoi(text.substr(e + 1)));
  }
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  const std::string plain = fmt::format("{:.{}f}", size, std::max(0, digits - before));
  return sign + with_thousands(trimmed(plain));
}

}  // namespace

std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

std::string number_text(double value, int digits) { return significant(value, digits, false); }

std::string measured_text(double value, int digits) { return significant(value, digits, true); }

std::string with_error_text(double value, double error) {
  constexpr int kMostDecimals = 6;
  if (!(error > 0 && std::isfinite(error) && std::isfinite(value))) return number_text(value);
  const int before = static_cast<int>(std::floor(std::log10(error))) + 1;
  const int decimals = 2 - before;
  if (decimals > kMostDecimals || std::abs(value) >= kLargestPlain)
    return number_text(value) + " ± " + number_text(error, 2);
  const auto fixed = [&](double x) {
    return with_thousands(fmt::format("{:.{}f}", std::abs(x), std::max(0, decimals)));
  };
  return (value < 0 ? std::string(kMinus) : std::string()) + fixed(value) + " ± " + fixed(error);
}

std::string growth_text(double share) {
  constexpr double kManyTimes = 10;
  return share < kManyTimes ? fmt::format("{:.0f} %", 100 * share)
                            : fmt::format("{:.0f} times", 1 + share);
}

std::string power_text(int exponent) {
  constexpr int kLongest = 3;
  if (std::abs(exponent) <= kLongest) return number_text(std::pow(10.0, exponent));
  return "10" + superscript(exponent);
}

std::string count_text(std::size_t count) { return with_thousands(std::to_string(count)); }

std::string percent_text(double share) {
  if (std::isnan(share)) return "–";
  const double percent = 100 * share;
  const bool near_end = (percent > 99 && percent < 100) || (percent > 0 && percent < 1);
  return fmt::format("{:.{}f} %", percent, near_end ? 1 : 0);
}

}  // namespace postrider::internal
