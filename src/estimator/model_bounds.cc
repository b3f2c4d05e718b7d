#include "estimator/model_bounds.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "network/network_state.h"
#include "train/noise.h"

namespace postrider::internal {
namespace {

// Beliefs are sums of messages in float, taken out and put in many times.
constexpr double kRounding = 0.01;
constexpr double kLeastTemperature = 1e-3, kMostTemperature = 1e3;
constexpr double kLeastReadScale = 0.01, kMostReadScale = 100;
constexpr double kLeastDeviation = 1e-300, kMostDeviation = 1e300;

bool all_within(std::span<const double> values, double least, double most) {
  return std::ranges::all_of(values, [&](double x) { return x >= least && x <= most; });
}

// In the padding, too.
template <class T>
bool is_proper(const WeightMessages<T>& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (!(messages.rho[i] > 0 && std::isfinite(messages.rho[i]) &&
          std::isfinite(messages.tau[i] / messages.rho[i]) && std::isfinite(1 / messages.rho[i])))
      return false;
  return true;
}

// The biases of outputs walk in streams.
template <class T>
bool is_output_bias(const NetworkArrays<T>& arrays, std::size_t weight) {
  const SweepLayer& last = arrays.engine.layers().back();
  const std::size_t first = arrays.positions.size() - last.weights();
  return last.bias && weight >= first && (weight - first) % last.fan_in() == last.inputs;
}

template <class T>
std::string trouble_with(const NetworkArrays<T>& arrays, bool drifts) {
  if (!is_proper(arrays.belief) || !is_proper(arrays.prior))
    return "a weight's belief is not proper";
  for (std::size_t k = 0; k < arrays.positions.size(); ++k)
    if (!(arrays.belief.rho[arrays.positions[k]] >=
          (1 - kRounding) * arrays.prior.rho[arrays.positions[k]]) &&
        !(drifts && is_output_bias(arrays, k)))
      return "a weight's belief is less certain than its prior";
  return {};
}

std::string trouble_with(const Scales& scales) {
  if (!all_within(scales.mean, -kMostDeviation, kMostDeviation)) return "a mean is not a number";
  if (!all_within(scales.deviation, kLeastDeviation, kMostDeviation))
    return "a deviation is not positive, or not a number that rows could have";
  return {};
}

}  // namespace

std::string trouble_with(const FittedModel& model, bool drifts) {
  for (const Member& member : model.members) {
    std::string out = std::visit([&](const auto& arrays) { return trouble_with(arrays, drifts); },
                                 inside_of(member.network).arrays);
    if (!out.empty()) return out;
    if (!all_within(member.noise_variance, kLeastNoiseVariance, kMostNoiseVariance))
      return "a noise variance is not positive, or not between 1e-30 and 1e30";
  }
  for (const Scales* scales : {&model.inputs, &model.targets.plain()})
    if (std::string out = trouble_with(*scales); !out.empty()) return out;
  if (!(model.temperature >= kLeastTemperature && model.temperature <= kMostTemperature))
    return "its temperature is not positive, or not between 1e-3 and 1e3";
  if (!(model.epistemic_scale >= kLeastReadScale && model.epistemic_scale <= kMostReadScale))
    return "its epistemic scale is not between 0.01 and 100";
  return {};
}

}  // namespace postrider::internal
