// How long training takes, before it begins.
#include <algorithm>
#include <cmath>

#include "estimator/capacity.h"
#include "postrider/network/network.h"
#include "postrider/time_budget.h"

namespace postrider {
using namespace internal;
namespace {

// seconds = exp(kLog) (rows min(weights, kMostWeights))^kPower for sixteen networks, by least squares over logarithms
// (bench/time_to_model/expected.py). The power is below 1, since more rows need fewer epochs; so do large networks, whose rows share messages.
constexpr double kLog = -5.97, kPower = 0.547;
constexpr std::size_t kMostWeights = 2000;
// So many networks fill a vector; fewer take as long.
constexpr std::size_t kSideBySide = 16;

// Beside the standard effort: no race of encodings and less patience, or twice of both.
double share_of(Effort effort) {
  if (effort == Effort::quick) return 1.0 / 6;
  return effort == Effort::thorough ? 2 : 1;
}

}  // namespace

double expected_seconds(const EstimatorOptions& options, std::size_t rows, std::size_t inputs,
                        std::size_t outputs) {
  const std::vector<std::size_t> hidden =
      widths_for(options.hidden, inputs, outputs, rows, options.weights_per_example);
  const std::size_t weights = network::NetworkOptions::dense(inputs, hidden, outputs).weights();
  const std::size_t packs =
      std::max<std::size_t>(1, (options.ensemble_size + kSideBySide - 1) / kSideBySide);
  const double work =
      static_cast<double>(rows) * static_cast<double>(std::min(weights, kMostWeights));
  return std::exp(kLog) * std::pow(work, kPower) * static_cast<double>(packs) *
         share_of(options.training.effort);
}

}  // namespace postrider
