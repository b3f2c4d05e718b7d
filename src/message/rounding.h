// When what is left of a difference of messages is rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "postrider/gaussian.h"

namespace postrider::internal {

// Roundings of a precision that was summed up from a few dozen messages, relative to the sum.
inline constexpr double kMessageRounding = 64 * std::numeric_limits<double>::epsilon();

// Whether a message of negative precision says nothing, for one whose natural parameters are
// differences of numbers as large as those of `against`: both are rounding. A slope that is more than
// rounding is a contradiction, and stays improper.
inline bool is_rounding(const Gaussian& message, const Gaussian& against) {
  if (!(message.rho() < 0) || !(-message.rho() <= kMessageRounding * against.rho())) return false;
  const double scale = std::max(std::abs(against.tau()), std::sqrt(against.rho()));
  return std::abs(message.tau()) <= kMessageRounding * scale;
}

}  // namespace postrider::internal
