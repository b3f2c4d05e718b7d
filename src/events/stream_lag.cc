#include "events/stream_lag.h"

#include <fmt/format.h>

#include <cmath>

namespace postrider::cli {

std::string StreamLag::text() const {
  if (unit == Unit::none) return {};
  if (std::isnan(value)) return "unknown";
  if (unit == Unit::events) return fmt::format("{:.0f} event{}", value, value == 1 ? "" : "s");
  return value == 0 ? "none" : fmt::format("{:.1f} s", value);
}

}  // namespace postrider::cli
