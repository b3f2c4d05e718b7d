// Where a function with one maximum is largest.
#pragma once

#include <numbers>

namespace postrider::internal {

// Between these, by a golden section: one value for each of so many steps, each of which leaves 0.62 of the range.
template <class Value>
double golden_section(double low, double high, int steps, Value&& value) {
  constexpr double kShare = std::numbers::phi - 1;
  double left = high - kShare * (high - low), right = low + kShare * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int step = 0; step < steps; ++step) {
    if (at_left > at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kShare * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kShare * (high - low);
      at_right = value(right);
    }
  }
  return 0.5 * (low + high);
}

}  // namespace postrider::internal
