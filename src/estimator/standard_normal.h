// The standard normal distribution, in double.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace postrider::internal {

inline double standard_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// The quantile of a probability above 0 and below 1.
inline double standard_quantile(double probability) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability);
}

inline double standard_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

}  // namespace postrider::internal
