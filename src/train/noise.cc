#include "train/noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace postrider {
namespace {

// Fisher's information of one row about the logarithm of the noise variance, where nothing but noise is
// unknown.
constexpr double kInformationOfARow = 0.5;

}  // namespace

double most_likely_noise(const HeldOut& held_out, double least, double most) {
  // Twice the derivative of the log-likelihood, by sign.
  const auto rises = [&](double b) {
    double slope = 0;
    for (std::size_t i = 0; i < held_out.variances.size(); ++i) {
      const double inverse = 1 / (held_out.variances[i] + b);
      const double weight = held_out.weights.empty() ? 1 : held_out.weights[i];
      slope += weight * inverse * (held_out.squared_residuals[i] * inverse - 1);
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
  constexpr double kLargestStep = std::numbers::ln2;
  return present * std::exp(std::clamp(step, -kLargestStep, kLargestStep));
}

}  // namespace postrider
