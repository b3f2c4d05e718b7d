#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "baselines/ivon.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kInputs = 4, kRows = 64, kEpochs = 4000;
constexpr double kNoise = 0.25;  // variance
constexpr std::uint64_t kDataStream = 7'000'000, kNoiseStream = 7'000'001;

// What IVON strays by from step to step: of its mean in deviations of the weight, of its deviation
// relative to itself.
constexpr double kMeanTolerance = 0.5, kDeviationTolerance = 0.1;

// Input k of row n is the k-th bit of n, as +1 or -1: columns are orthogonal over the rows.
TrainingRows orthogonal_rows(RandomStream random) {
  TrainingRows out;
  for (std::size_t n = 0; n < kRows; ++n) {
    double y = std::sqrt(kNoise) * random.normal();
    for (std::size_t k = 0; k < kInputs; ++k) {
      const double x = (n >> k) % 2 == 0 ? -1 : 1;
      out.inputs.push_back(x);
      y += x * (static_cast<double>(k) - 1) / 2;
    }
    out.targets.push_back(y);
  }
  return out;
}

// With N(0, 1 / (rows x delta)) before the data.
struct Exact {
  std::vector<double> mean;
  double deviation;
};
Exact exact(const TrainingRows& rows, double delta) {
  const double precision = kRows * (1 / kNoise + delta);
  Exact out{std::vector<double>(kInputs, 0), 1 / std::sqrt(precision)};
  for (std::size_t n = 0; n < kRows; ++n)
    for (std::size_t k = 0; k < kInputs; ++k)
      out.mean[k] += rows.inputs[n * kInputs + k] * rows.targets[n] / (kNoise * precision);
  return out;
}

}  // namespace

void check_ivon(const Settings& settings, Part& part) {
  const TrainingRows rows = orthogonal_rows(RandomStream(settings.seed, kDataStream));
  const Ivon ivon{0.01, 0.999, 0.5};
  RandomStream noise(settings.seed, kNoiseStream);
  const Varied found = train_by_ivon({{kInputs, 1}, {}, kNoise}, {rows},
                                     {{{0, std::vector<double>(kInputs, 0)}, ivon}}, kEpochs,
                                     [&](std::size_t, double* values, std::size_t count) {
                                       for (std::size_t k = 0; k < count; ++k)
                                         values[k] = noise.normal();
                                     })
                           .front();
  const Exact answer = exact(rows, ivon.delta);
  double mean_gap = 0, deviation_gap = 0;
  for (std::size_t k = 0; k < kInputs; ++k) {
    mean_gap = std::max(mean_gap, std::abs(found.mean[k] - answer.mean[k]) / answer.deviation);
    deviation_gap = std::max(deviation_gap, std::abs(found.deviation[k] / answer.deviation - 1));
  }
  part.claims.push_back(
      {fmt::format("IVON on a linear model: means within {:.2f} deviations of the "
                   "exact ones, at most {:g}; deviations within {:.3f}, at most "
                   "{:g}",
                   mean_gap, kMeanTolerance, deviation_gap, kDeviationTolerance),
       mean_gap <= kMeanTolerance && deviation_gap <= kDeviationTolerance});
}

}  // namespace postrider::experiments
