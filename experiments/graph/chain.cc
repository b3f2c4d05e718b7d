// A random walk seen through noise, smoothed: against the Kalman filter and Rauch-Tung-Striebel
// smoother, and by the clock.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/random.h"
#include "parts.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr double kTolerance = 1e-9, kNanosecondsPerStep = 500;
constexpr double kPriorVariance = 10, kStepVariance = 0.1, kNoiseVariance = 1;
constexpr int kRepeats = 5;

struct Smoothed {
  std::vector<double> mean, variance;
};

Smoothed kalman_smoother(const std::vector<double>& y) {
  const std::size_t n = y.size();
  Smoothed filtered{std::vector<double>(n), std::vector<double>(n)};
  double mean = 0, variance = kPriorVariance;
  for (std::size_t t = 0; t < n; ++t) {
    if (t > 0) variance += kStepVariance;
    const double gain = variance / (variance + kNoiseVariance);
    mean += gain * (y[t] - mean);
    variance *= 1 - gain;
    filtered.mean[t] = mean;
    filtered.variance[t] = variance;
  }
  Smoothed out = filtered;
  for (std::size_t t = n - 1; t-- > 0;) {
    const double predicted = filtered.variance[t] + kStepVariance;
    const double gain = filtered.variance[t] / predicted;
    out.mean[t] += gain * (out.mean[t + 1] - filtered.mean[t]);
    out.variance[t] += gain * gain * (out.variance[t + 1] - predicted);
  }
  return out;
}

struct Chain {
  graph::FactorGraph graph;
  graph::Variable x, y;

  explicit Chain(const std::vector<double>& values)
      : x(graph.add_variables(values.size())), y(graph.add_variables(values.size())) {
    std::vector<graph::Variable> steps, sightings;
    for (std::uint32_t t = 0; t < values.size(); ++t) {
      if (t > 0) steps.insert(steps.end(), {at(x, t), at(x, t - 1)});
      sightings.insert(sightings.end(), {at(y, t), at(x, t)});
      graph.observe(at(y, t), values[t]);
    }
    graph.set_prior(x, Gaussian::from_moments(0, kPriorVariance));
    graph.add_plate(noise(kStepVariance), steps);
    graph.add_plate(noise(kNoiseVariance), sightings);
  }

  static graph::Variable at(graph::Variable first, std::uint32_t t) { return {first.index + t}; }
  static std::shared_ptr<const graph::Factor> noise(double variance) {
    return graph::make_factor("gaussian_likelihood", {{"variance", {variance}}});
  }
};

}  // namespace

Part chain(const Settings& settings) {
  const std::size_t steps = settings.quick ? 20'000 : 1'000'000;
  RandomStream random(settings.seed, 0);
  std::vector<double> values;
  double position = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    position += std::sqrt(kStepVariance) * random.normal();
    values.push_back(position + std::sqrt(kNoiseVariance) * random.normal());
  }
  Chain chain(values);
  std::vector<double> seconds;
  graph::Record record;
  for (int i = 0; i < kRepeats; ++i) {
    chain.graph.reset();
    const auto start = std::chrono::steady_clock::now();
    record = chain.graph.run();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[kRepeats / 2];

  const Smoothed exact = kalman_smoother(values);
  double worst = 0;
  for (std::uint32_t t = 0; t < steps; ++t) {
    const Gaussian found = chain.graph.marginal(Chain::at(chain.x, t));
    const double scale = std::max(std::abs(exact.mean[t]), std::sqrt(exact.variance[t]));
    worst = std::max({worst, std::abs(found.mean() - exact.mean[t]) / scale,
                      std::abs(found.variance() - exact.variance[t]) / exact.variance[t]});
  }
  const double per_message = 1e9 * median / static_cast<double>(record.messages);
  const double per_step = 1e9 * median / (2 * static_cast<double>(steps));
  const double bytes = static_cast<double>(chain.graph.memory_bytes()) /
                       static_cast<double>(chain.graph.variable_count());
  return {"chain",
          {{"steps", {static_cast<std::int64_t>(steps)}},
           {"max_error", {worst}},
           {"ns_per_message", {per_message}},
           {"ns_per_step_and_direction", {per_step}},
           {"messages", {static_cast<std::int64_t>(record.messages)}},
           {"bytes_per_variable", {bytes}}},
          {{"equal to the Kalman smoother to 1e-9 (largest error: " + std::to_string(worst * 1e12) +
                "e-12)",
            worst <= kTolerance},
           {std::to_string(per_step) + " ns per step and direction, below 500; " +
                std::to_string(bytes) + " bytes per variable",
            settings.quick || per_step < kNanosecondsPerStep}}};
}

}  // namespace postrider::experiments
