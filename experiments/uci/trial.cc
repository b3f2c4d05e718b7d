#include "trial.h"

#include <chrono>
#include <cmath>

#include "base/workers.h"
#include "postrider/metrics.h"

namespace postrider::experiments {

Tested test_split(const UciSet& set, std::size_t split, const RegressorOptions& options) {
  const Rows training = set.rows(split, false), testing = set.rows(split, true);
  Regressor regressor(options);
  const auto start = std::chrono::steady_clock::now();
  const FitReport report = regressor.fit(training.inputs, training.targets);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const Forecast forecast = regressor.predict(testing.inputs);
  const Predicted predicted{forecast.mean, forecast.variance};
  Tested out;
  out.error = root_mean_square_error(forecast.mean, testing.targets);
  out.likelihood = log_likelihood(predicted, testing.targets);
  out.ranked = ranked_probability_score(predicted, testing.targets);
  out.calibration = calibration_error(predicted, testing.targets);
  out.best_epoch = static_cast<double>(report.best_epoch);
  out.epochs = static_cast<double>(report.epochs.size());
  out.seconds = seconds.count();
  out.weights = static_cast<double>(regressor.network().weight_count());
  out.noise = std::sqrt(report.epochs.back().noise_variance.front());
  out.has_failed = report.reason == StopReason::diverged || !std::isfinite(out.likelihood);
  return out;
}

std::vector<Tested> test_splits(const UciSet& set, std::size_t splits,
                                const RegressorOptions& options, unsigned threads) {
  std::vector<Tested> out(std::min(splits, set.splits.size()));
  Workers(threads).run(out.size(), [&](std::size_t split) {
    RegressorOptions own = options;
    own.training.seed = options.training.seed + split;
    out[split] = test_split(set, split, own);
  });
  return out;
}

double mean_of(const std::vector<Tested>& tested, double Tested::*which) {
  double sum = 0;
  for (const Tested& one : tested) sum += one.*which;
  return sum / static_cast<double>(tested.size());
}

double standard_error_of(const std::vector<Tested>& tested, double Tested::*which) {
  const double mean = mean_of(tested, which);
  double squares = 0;
  for (const Tested& one : tested) squares += (one.*which - mean) * (one.*which - mean);
  return std::sqrt(squares) / static_cast<double>(tested.size());
}

std::size_t failures_of(const std::vector<Tested>& tested) {
  std::size_t out = 0;
  for (const Tested& one : tested) out += one.has_failed ? 1 : 0;
  return out;
}

}  // namespace postrider::experiments
