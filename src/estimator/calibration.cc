#include "estimator/calibration.h"

#include "base/shuffle.h"

namespace postrider {
namespace {

// Fewer say little about a temperature, and are missed by the others.
constexpr std::size_t kFewestRows = 50;
// Streams of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kStream = 0xca11b8a7e;

}  // namespace

CalibrationSplit::CalibrationSplit(const std::vector<double>& inputs,
                                   std::span<const std::size_t> labels,
                                   std::span<const double> weights, double share,
                                   std::uint64_t seed) {
  const std::size_t rows = labels.size(), columns = inputs.size() / rows;
  auto kept = static_cast<std::size_t>(share * static_cast<double>(rows));
  if (kept < kFewestRows) kept = 0;
  RandomStream random(seed, kStream);
  const std::vector<std::size_t> order = random_order(rows, random);
  std::vector<bool> is_kept(rows);
  for (std::size_t i = 0; i < kept; ++i) is_kept[order[i]] = true;
  // The others stay in their order.
  for (std::size_t row = 0; row < rows; ++row) {
    LabelledRows& to = is_kept[row] ? kept_back : learned;
    const auto from = inputs.begin() + static_cast<std::ptrdiff_t>(row * columns);
    to.inputs.insert(to.inputs.end(), from, from + static_cast<std::ptrdiff_t>(columns));
    to.labels.push_back(labels[row]);
    if (!weights.empty()) to.weights.push_back(weights[row]);
  }
}

double temperature_of(const std::vector<Member>& members, std::size_t outputs,
                      const LabelledRows& rows, unsigned threads) {
  if (rows.labels.empty()) return 1;
  std::vector<NoisyScores> networks;
  for (const Member& member : members)
    networks.push_back(
        {member.network.predict({rows.inputs}, threads), member.noise_variance.front()});
  return class_temperature(networks, outputs, rows.labels, threads, rows.weights);
}

}  // namespace postrider
