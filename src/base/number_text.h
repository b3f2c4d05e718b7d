// Numbers as text.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace postrider {

// Shortest text that reads back to the same double; at most 24 characters, as in
// -1.7976931348623157e+308.
inline std::string shortest_text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace postrider
