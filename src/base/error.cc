#include "postrider/error.h"

#include <array>
#include <charconv>

namespace postrider {
namespace {

// Shortest text that reads back to the same double; at most 24 characters, as in
// -1.7976931348623157e+308.
std::string shortest(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

void detail::reject_verbatim(std::string_view field, std::string_view value,
                             std::string_view accepted) {
  std::string message(field);
  message += " = ";
  message += value;
  message += ": ";
  message += accepted;
  throw InvalidArgument(message);
}

void reject(std::string_view field, double value, std::string_view accepted) {
  detail::reject_verbatim(field, shortest(value), accepted);
}

void reject(std::string_view field, std::string_view value, std::string_view accepted) {
  std::string quoted = "\"";
  quoted += value;
  quoted += '"';
  detail::reject_verbatim(field, quoted, accepted);
}

}  // namespace postrider
