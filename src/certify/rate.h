// The exponent of a power law, observed.
#pragma once

#include <optional>
#include <span>

namespace postrider::internal {

// p of y ~ x^p, by least squares over the logarithms; absent with fewer than three pairs. All
// numbers must be positive.
std::optional<double> power_law_exponent(std::span<const double> x, std::span<const double> y);

}  // namespace postrider::internal
