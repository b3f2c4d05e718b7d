#include "estimator/root_moments.h"

#include <algorithm>
#include <array>

#include "estimator/standard_normal.h"

namespace postrider::internal {

// With a = floor, alpha = (a - m)/s and M_k = E[G^k; G > a]:
//   M_0 = 1 - Phi(alpha),  M_1 = m M_0 + s phi(alpha),
//   M_k = m M_{k-1} + (k - 1) s^2 M_{k-2} + s a^{k-1} phi(alpha),
// by parts. Then E[Y] = M_2 - a^2 M_0 and E[Y^2] = M_4 - 2 a^2 M_2 + a^4 M_0.
RootMoments root_moments(double mean, double deviation, double floor) {
  if (deviation <= 0) {
    const double y = mean <= floor ? 0 : (mean - floor) * (mean + floor);
    return {y, y * y};
  }
  const double alpha = (floor - mean) / deviation;
  const double edge = deviation * standard_density(alpha);
  std::array<double, 5> m{standard_below(-alpha)};
  m[1] = mean * m[0] + edge;
  double power = floor;  // a^{k-1}
  for (std::size_t k = 2; k < m.size(); ++k) {
    m[k] = mean * m[k - 1] + static_cast<double>(k - 1) * deviation * deviation * m[k - 2] +
           edge * power;
    power *= floor;
  }
  const double squared = floor * floor;
  // Far below the floor next to nothing is left, and rounding may be more.
  return {std::max(0.0, m[2] - squared * m[0]),
          std::max(0.0, m[4] - 2 * squared * m[2] + squared * squared * m[0])};
}

}  // namespace postrider::internal
