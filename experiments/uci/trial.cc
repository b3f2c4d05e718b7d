#include "trial.h"

#include <cmath>

#include "base/workers.h"
#include "common/processor_time.h"
#include "postrider/metrics.h"

namespace postrider::experiments {
using namespace internal;

std::size_t epochs_of(const Settings& settings, std::size_t max_epochs) {
  constexpr std::size_t kQuickEpochs = 8;
  return settings.quick && max_epochs == 0 ? kQuickEpochs : max_epochs;
}

EstimatorOptions default_options(std::uint64_t seed) {
  EstimatorOptions out;
  out.training.seed = seed;
  return out;
}

Tested test_rows(const Rows& training, const Rows& testing, const EstimatorOptions& options) {
  Regressor regressor(options);
  const double start = processor_seconds();
  const std::vector<FitReport> reports = regressor.fit(training.inputs, training.targets);
  const double seconds = processor_seconds() - start;
  const Forecast forecast = regressor.predict(testing.inputs);
  const Predicted predicted{forecast.mean, forecast.variance};
  Tested out;
  out.error = root_mean_square_error(forecast.mean, testing.targets);
  out.likelihood = regressor.log_likelihood(testing.inputs, testing.targets);
  out.ranked = crps(predicted, testing.targets);
  out.calibration = calibration_error(predicted, testing.targets);
  const Distributions found = regressor.distributions(testing.inputs);
  out.held = held_by(found, testing.targets);
  out.of_rows = row_intervals(found, testing.targets);
  out.members = static_cast<double>(reports.size());
  for (const FitReport& report : reports) {
    out.best_epoch += static_cast<double>(report.best_epoch) / out.members;
    out.epochs += static_cast<double>(report.epochs.size()) / out.members;
    out.has_failed = out.has_failed || report.reason == FitReport::StopReason::diverged;
  }
  out.seconds = seconds;
  out.weights = static_cast<double>(regressor.network().weight_count());
  out.has_failed = out.has_failed || !std::isfinite(out.likelihood);
  return out;
}

std::vector<Tested> test_splits(std::size_t splits, unsigned threads,
                                const std::function<Tested(std::size_t split)>& test) {
  std::vector<Tested> out(splits);
  Workers(threads).run(splits, [&](std::size_t split) { out[split] = test(split); });
  return out;
}

std::vector<Tested> test_splits(const UciSet& set, std::size_t splits,
                                const EstimatorOptions& options, const Settings& settings) {
  const std::size_t count = std::min(splits, set.splits.size());
  return test_splits(count, settings.threads, [&](std::size_t split) {
    EstimatorOptions own = options;
    own.training.max_epochs = epochs_of(settings, own.training.max_epochs);
    own.training.seed = options.training.seed + split;
    return test_rows(set.rows(split, false), set.rows(split, true), own);
  });
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

Object describe(const std::vector<Tested>& tested) {
  Object out{{"splits", {static_cast<std::int64_t>(tested.size())}},
             {"rmse", {mean_of(tested, &Tested::error)}},
             {"rmse_se", {standard_error_of(tested, &Tested::error)}},
             {"ll", {mean_of(tested, &Tested::likelihood)}},
             {"ll_se", {standard_error_of(tested, &Tested::likelihood)}},
             {"crps", {mean_of(tested, &Tested::ranked)}},
             {"calibration_error", {mean_of(tested, &Tested::calibration)}},
             {"epochs", {mean_of(tested, &Tested::epochs)}},
             {"best_epoch", {mean_of(tested, &Tested::best_epoch)}},
             {"members", {mean_of(tested, &Tested::members)}},
             {"weights", {mean_of(tested, &Tested::weights)}},
             {"seconds_per_split", {mean_of(tested, &Tested::seconds)}},
             {"failed", {static_cast<std::int64_t>(failures_of(tested))}}};
  std::vector<double> errors, likelihoods;
  for (const Tested& one : tested) {
    errors.push_back(one.error);
    likelihoods.push_back(one.likelihood);
  }
  out.push_back({"rmse_by_split", {errors}});
  out.push_back({"ll_by_split", {likelihoods}});
  return out;
}

}  // namespace postrider::experiments
