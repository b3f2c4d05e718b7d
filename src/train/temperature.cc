#include <algorithm>
#include <cmath>

#include "base/golden_section.h"
#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "train/class_scores.h"

namespace postrider::internal {

namespace {

// The logarithm of a temperature is N(0, this deviation squared) before rows speak.
constexpr double kDeviation = 0.5;
constexpr double kReach = 5;  // deviations
constexpr int kSteps = 24;    // of a golden section: to 1e-4 of a deviation
constexpr double kLeastProbability = 1e-12;

double log_posterior(std::span<const network::NoisyScores> networks, std::size_t outputs,
                     std::span<const std::size_t> labels, Workers& workers,
                     std::span<const double> weights, double log_temperature) {
  std::vector<double> chosen(labels.size());
  for (const network::NoisyScores& network : networks) {
    const std::vector<double> own =
        class_probabilities_of(labels, network.scores, outputs, network.noise_variance, workers,
                               std::exp(log_temperature));
    for (std::size_t row = 0; row < labels.size(); ++row)
      chosen[row] += own[row] / static_cast<double>(networks.size());
  }
  const double deviations = log_temperature / kDeviation;
  double sum = -0.5 * deviations * deviations;
  for (std::size_t row = 0; row < chosen.size(); ++row)
    sum +=
        (weights.empty() ? 1 : weights[row]) * std::log(std::max(kLeastProbability, chosen[row]));
  return sum;
}

}  // namespace

double class_temperature(std::span<const network::NoisyScores> networks, std::size_t outputs,
                         std::span<const std::size_t> labels, Workers& workers,
                         std::span<const double> weights) {
  for (const network::NoisyScores& network : networks)
    if (network.scores.mean.size() != labels.size() * outputs)
      reject("labels", labels.size(), "must be one for each row of scores");
  if (!weights.empty() && weights.size() != labels.size())
    reject("weights", weights.size(), "must be one for each row, or none");
  for (const std::size_t label : labels)
    if (label >= network::classes_of(outputs))
      reject("labels", label, "must be below " + std::to_string(network::classes_of(outputs)));
  if (networks.empty() || labels.empty()) return 1;
  return std::exp(golden_section(
      -kReach * kDeviation, kReach * kDeviation, kSteps, [&](double log_temperature) {
        return log_posterior(networks, outputs, labels, workers, weights, log_temperature);
      }));
}

}  // namespace postrider::internal

namespace postrider::network {
using namespace internal;

double class_temperature(std::span<const NoisyScores> networks, std::size_t outputs,
                         std::span<const std::size_t> labels, unsigned threads,
                         std::span<const double> weights) {
  Workers workers(threads);
  return class_temperature(networks, outputs, labels, workers, weights);
}

}  // namespace postrider::network
