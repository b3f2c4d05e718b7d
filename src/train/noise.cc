#include "train/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace postrider::internal {
namespace {

// Fisher's information of one row about the logarithm of the noise variance, where nothing but noise is
// unknown.
constexpr double kInformationOfARow = 0.5;
// A step of the logarithm is no larger, in an epoch.
constexpr double kLargestStep = std::numbers::ln2;

}  // namespace

double most_likely_noise(const HeldOut& held_out, double least, double most) {
  // By the logarithm of b: twice the derivative of the log-likelihood over b, and Newton's step.
  struct Slope {
    double value, step;
  };
  const auto slope_at = [&](double b) -> Slope {
    double value = 0, change = 0;
    for (std::size_t i = 0; i < held_out.variances.size(); ++i) {
      const double inverse = 1 / (held_out.variances[i] + b);
      const double weight = held_out.weights.empty() ? 1 : held_out.weights[i];
      const double surprise = held_out.squared_residuals[i] * inverse;
      value += weight * inverse * (surprise - 1);
      change += weight * inverse * inverse * (1 - 2 * surprise);
    }
    return {value, -value / (value + b * change)};
  };
  // Newton's steps, and the middle where they leave the bracket.
  constexpr double kAccuracy = 1e-6;
  double low = std::log(least), high = std::log(most), at = 0.5 * (low + high);
  while (high - low > kAccuracy) {
    const Slope slope = slope_at(std::exp(at));
    (slope.value > 0 ? low : high) = at;
    const double next = at + slope.step;
    if (std::abs(slope.step) < kAccuracy) return std::exp(std::clamp(next, low, high));
    at = next > low && next < high ? next : 0.5 * (low + high);
  }
  return std::exp(0.5 * (low + high));
}

double next_noise(double present, double most_likely, bool is_first_epoch) {
  constexpr double kFirstEpoch = 0.25;
  const double aim = is_first_epoch ? std::max(most_likely, kFirstEpoch * present) : most_likely;
  return std::sqrt(present * aim);
}

double noise_with_level(double noise, std::span<const double> levels,
                        std::span<const double> weights) {
  constexpr double kPull = 0.1;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sum += weight * levels[i];
    count += weight;
  }
  if (!(count > 0)) return noise;
  return noise * std::exp(std::clamp(kPull * sum / count, -kLargestStep, kLargestStep));
}

double noise_by_slopes(double present, std::span<const double> slopes, double rows_known,
                       std::span<const double> weights) {
  double sum = 0, information = kInformationOfARow * rows_known;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sum += weight * slopes[i];
    information += weight * slopes[i] * slopes[i];
  }
  if (!(information > 0)) return present;
  const double step = sum / information;
  return present * std::exp(std::clamp(step, -kLargestStep, kLargestStep));
}

}  // namespace postrider::internal
