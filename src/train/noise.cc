#include "train/noise.h"

#include <algorithm>
#include <cmath>

namespace postrider {

double most_likely_noise(const HeldOut& held_out, double least, double most,
                         const KnownNoise& known) {
  // Twice the derivative of the log-likelihood, by sign.
  const auto rises = [&](double b) {
    double slope = known.rows / b * (known.variance / b - 1);
    for (std::size_t i = 0; i < held_out.variances.size(); ++i) {
      const double inverse = 1 / (held_out.variances[i] + b);
      slope += inverse * (held_out.squared_residuals[i] * inverse - 1);
    }
    return slope > 0;
  };
  constexpr int kHalvings = 24;  // of the logarithm's range: to 1e-6
  double low = std::log(least), high = std::log(most);
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (rises(std::exp(middle)) ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

double next_noise(double present, double most_likely, bool is_first_epoch) {
  constexpr double kFirstEpoch = 0.25;
  const double aim = is_first_epoch ? std::max(most_likely, kFirstEpoch * present) : most_likely;
  return std::sqrt(present * aim);
}

}  // namespace postrider
