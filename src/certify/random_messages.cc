#include "certify/random_messages.h"

namespace postrider::internal {

Gaussian moderate_message(RandomStream& random) {
  const double mean = random.uniform(-3, 3);
  return Gaussian::from_moments(mean, random.log_uniform(0.05, 20));
}

Gaussian extreme_message(RandomStream& random) {
  using Kind = ExtremeMessages;
  const double sign = random.uniform() < 0.5 ? -1 : 1;
  const double size = random.log_uniform(Kind::kSmallest, Kind::kLargest);
  const double variance = random.log_uniform(Kind::kSmallest, Kind::kLargest);
  const double mean = random.uniform() < Kind::kZeroMean ? 0 : sign * size;
  const double kind = random.uniform();
  if (kind < Kind::kUniform) return Gaussian::uniform();
  if (kind < Kind::kUniform + Kind::kPointMass) return Gaussian::point_mass(mean);
  return Gaussian::from_moments(mean, variance);
}

}  // namespace postrider::internal
