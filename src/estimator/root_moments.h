// Means of squares: a target that is learned as its root.
#pragma once

namespace postrider::internal {

// E[Y] and E[Y^2] of Y = max(G, floor)^2 - floor^2, G a Gaussian.
struct RootMoments {
  double mean = 0, square = 0;
};

// The deviation may be 0; the floor must not be negative.
RootMoments root_moments(double mean, double deviation, double floor);

}  // namespace postrider::internal
