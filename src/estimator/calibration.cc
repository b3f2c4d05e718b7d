#include "estimator/calibration.h"

#include <utility>

#include "base/shuffle.h"
#include "data/kept_inputs.h"

namespace postrider {
namespace {

// Fewer say little about a temperature, and are missed by the others.
constexpr std::size_t kFewestRowsHeldOut = 50;
// Streams of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kCalibrationStream = 0xca11b8a7e;

}  // namespace

CalibrationSplit::CalibrationSplit(std::size_t rows, double share, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(share * static_cast<double>(rows));
  if (count < kFewestRowsHeldOut) return;
  RandomStream random(seed, kCalibrationStream);
  const std::vector<std::size_t> order = random_order(rows, random);
  std::vector<bool> is_held_out(rows);
  for (std::size_t i = 0; i < count; ++i) is_held_out[order[i]] = true;
  for (std::size_t row = 0; row < rows; ++row)
    (is_held_out[row] ? held_out : learned).push_back(static_cast<std::uint32_t>(row));
}

double temperature_of(const FittedModel& model, const EstimatorRows& rows,
                      std::span<const std::uint32_t> held_out, unsigned threads) {
  if (held_out.empty()) return 1;
  std::vector<double> weights;
  std::vector<std::size_t> labels;
  for (const std::uint32_t row : held_out) {
    labels.push_back(static_cast<std::size_t>(rows.targets[row]));
    if (!rows.sample_weights.empty()) weights.push_back(rows.sample_weights[row]);
  }
  const KeptInputs inputs(rows.inputs, rows.columns(),
                          std::vector<std::size_t>(held_out.begin(), held_out.end()));
  std::vector<NoisyScores> networks;
  Workers workers(threads);
  std::vector<OutputRows> scores =
      EnsemblePrediction(states_of(model)).predict(encoded_inputs(model, inputs).view(), workers);
  for (std::size_t m = 0; m < scores.size(); ++m)
    networks.push_back({std::move(scores[m]), model.members[m].noise_variance.front()});
  return class_temperature(networks, model.shape().outputs(), labels, threads, weights);
}

}  // namespace postrider
