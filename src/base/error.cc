#include "postrider/error.h"

#include "base/number_text.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

std::string message_of(std::string_view field, std::string_view value, std::string_view accepted) {
  std::string out(field);
  out += " = ";
  out += value;
  out += ": ";
  out += accepted;
  return out;
}

}  // namespace
}  // namespace internal

InvalidArgument::InvalidArgument(std::string_view field, std::string_view value,
                                 std::string_view accepted)
    : Error(message_of(field, value, accepted)),
      field_(field),
      value_(value),
      accepted_(accepted) {}

void detail::reject_verbatim(std::string_view field, std::string_view value,
                             std::string_view accepted) {
  throw InvalidArgument(field, value, accepted);
}

void reject(std::string_view field, double value, std::string_view accepted) {
  detail::reject_verbatim(field, shortest_text(value), accepted);
}

void reject(std::string_view field, std::string_view value, std::string_view accepted) {
  std::string quoted = "\"";
  quoted += value;
  quoted += '"';
  detail::reject_verbatim(field, quoted, accepted);
}

}  // namespace postrider
