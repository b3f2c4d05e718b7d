// Seeded random messages.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "factor/reference.h"

namespace postrider::reference {
using namespace internal;

inline constexpr std::uint64_t kSeed = 20240229;

// Means of either sign up to 1e3, variances from 1e-6 to 1e6.
inline Moments wide_moments(RandomStream& random) {
  const double sign = random.uniform() < 0.5 ? -1 : 1;
  const double mean = sign * random.log_uniform(1e-3, 1e3);
  return {mean, random.log_uniform(1e-6, 1e6)};
}

// Means within a few units, deviations from 0.1 to 10: where all branches of a formula meet.
inline Moments moderate_moments(RandomStream& random) {
  const double deviation = random.log_uniform(0.1, 10);
  return {3 * random.normal(), deviation * deviation};
}

// Half of each.
inline Moments any_moments(RandomStream& random) {
  return random.uniform() < 0.5 ? wide_moments(random) : moderate_moments(random);
}

// Proper, uniform and point masses.
inline Gaussian any_state(RandomStream& random) {
  const double state = random.uniform();
  const Moments proper = any_moments(random);
  if (state < 0.1) return Gaussian::uniform();
  if (state < 0.2) return Gaussian::point_mass(proper.mean);
  if (state < 0.25) return Gaussian::point_mass(0);
  return gaussian(proper);
}

// Messages at the ends of what the states allow.
inline std::vector<Gaussian> corner_messages() {
  return {Gaussian::uniform(),
          Gaussian::point_mass(0),
          Gaussian::point_mass(-2),
          Gaussian::point_mass(3),
          Gaussian::from_moments(0, 1),
          Gaussian::from_moments(1.5, 0.25),
          Gaussian::from_moments(-40, 0.5),
          Gaussian::from_moments(1e3, 1e-6),
          Gaussian::from_moments(-1e-3, 1e6),
          Gaussian::from_moments(2, 1e-300),
          Gaussian::from_moments(-2, 1e300),
          Gaussian::from_moments(-1e150, 1),
          Gaussian::from_moments(1e-200, 1e-200)};
}

}  // namespace postrider::reference
