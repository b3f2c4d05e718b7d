// Random messages to try a factor on.
#pragma once

#include "base/random.h"
#include "postrider/gaussian.h"

namespace postrider::internal {

// Sizes at which quadrature is at its best: means within +-3, variances from 0.05 to 20.
Gaussian moderate_message(RandomStream& random);

// Anything that may come in: |mean| and variance log-uniform over 1e-12..1e12, both signs, and now
// and then a mean of zero, a variance of zero (a point mass) or no information (uniform).
struct ExtremeMessages {
  static constexpr double kSmallest = 1e-12, kLargest = 1e12;
  static constexpr double kZeroMean = 0.1, kPointMass = 0.1, kUniform = 0.03;
};
Gaussian extreme_message(RandomStream& random);

}  // namespace postrider::internal
