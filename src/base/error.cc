#include "postrider/error.h"

#include "base/number_text.h"

namespace postrider {
using namespace internal;

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
  detail::reject_verbatim(field, shortest_text(value), accepted);
}

void reject(std::string_view field, std::string_view value, std::string_view accepted) {
  std::string quoted = "\"";
  quoted += value;
  quoted += '"';
  detail::reject_verbatim(field, quoted, accepted);
}

}  // namespace postrider
