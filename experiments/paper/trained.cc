#include "trained.h"

#include <cmath>
#include <numbers>

#include "common/result.h"
#include "postrider/metrics.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kCalibrationPoints = 500;  // the paper's
constexpr std::size_t kPatience = 10;            // of our stopping rule

struct Rows {
  std::vector<double> inputs, targets;
};
Rows rows_of(std::span<const Example> examples) {
  Rows out;
  for (const Example& example : examples) {
    out.inputs.insert(out.inputs.end(), example.inputs.begin(), example.inputs.end());
    out.targets.insert(out.targets.end(), example.targets.begin(), example.targets.end());
  }
  return out;
}

bool has_proper_beliefs(const network::Network& network) {
  for (std::size_t k = 0; k < network.weight_count(); ++k)
    if (!network.weight(k).is_proper()) return false;
  return true;
}

}  // namespace

TrainerOptions paper_training(const NetworkTask& task, TrainerOptions::Stopping stopping) {
  TrainerOptions out;
  out.stopping = stopping;
  out.max_epochs = task.epochs;
  out.patience = kPatience;
  out.group_size = task.batch_size();
  out.block = 1;
  out.shuffle = TrainerOptions::Shuffle::none;
  out.noise_variance = {task.shape.noise_variance};
  out.learn_noise = false;
  return out;
}

network::Network make_network(const NetworkTask& task, const Problem& problem, graph::Rule rule) {
  network::Network out(network_options(task.shape, rule, network::Precision::float64));
  for (std::size_t k = 0; k < problem.prior.size(); ++k)
    out.set_prior(k, Gaussian::from_moments(problem.prior[k].mean, problem.prior[k].variance));
  return out;
}

FitReport fit(network::Network& network, const TrainerOptions& options, const Problem& problem,
              const TrainingCallbacks& callbacks) {
  const Rows rows = rows_of(problem.training);
  return network::Trainer(network, options).fit({rows.inputs}, rows.targets, {}, callbacks);
}

Predictions predict(const network::Network& network, const NetworkTask& task,
                    std::span<const Example> examples) {
  Rows rows = rows_of(examples);
  network::Network::OutputMoments outputs = network.predict({rows.inputs});
  for (double& variance : outputs.variance) variance += task.shape.noise_variance;
  return {std::move(outputs.mean), std::move(outputs.variance), std::move(rows.targets)};
}

// Not by the metrics' log_likelihood(): a method that diverged predicts no Gaussian, and that is no
// mistake of the caller here.
double Predictions::negative_log_likelihood() const {
  double sum = 0;
  for (std::size_t i = 0; i < mean.size(); ++i)
    sum += std::log(2 * std::numbers::pi * variance[i]) / 2 +
           (target[i] - mean[i]) * (target[i] - mean[i]) / (2 * variance[i]);
  return sum / static_cast<double>(mean.size());
}

std::vector<double> Predictions::coverage() const {
  return postrider::coverage({mean, variance}, target, calibration_levels());
}

void score(const NetworkTask& task, const Problem& problem, const Predictor& predictor,
           Outcome& out) {
  out.training = predictor(problem.training).negative_log_likelihood();
  out.beyond = predictor(problem.beyond).negative_log_likelihood();
  const auto covered = [&](std::span<const double> places) {
    return predictor(examples_at(task, problem.truth, places)).coverage();
  };
  out.coverage = covered(places_beyond(task, kCalibrationPoints / 2));
  out.calibration = calibration_error(out.coverage);
  out.inside = calibration_error(covered(linear_steps(task.low, task.high, kCalibrationPoints)));
}

Outcome train(const NetworkTask& task, const Problem& problem, const Method& method) {
  Outcome out;
  network::Network network = make_network(task, problem, method.rule);
  TrainerOptions options = paper_training(task, method.stopping);
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    out.is_proper = out.is_proper && has_proper_beliefs(network);
    out.linearised += report.linearised;
    out.bounded += report.bounded;
    return true;
  };
  const FitReport report = fit(network, options, problem, callbacks);
  out.epochs = static_cast<double>(report.epochs.size());
  out.kept = static_cast<double>(report.best_epoch);
  out.has_stopped = report.reason == FitReport::StopReason::converged ||
                    report.reason == FitReport::StopReason::patience;
  score(
      task, problem,
      [&](std::span<const Example> examples) { return predict(network, task, examples); }, out);
  out.is_proper = out.is_proper && report.reason != FitReport::StopReason::diverged &&
                  std::isfinite(out.training) && std::isfinite(out.beyond);
  return out;
}

std::vector<double> training_curve(const NetworkTask& task, const Problem& problem,
                                   graph::Rule rule, std::size_t epochs) {
  std::vector<double> out;
  network::Network network = make_network(task, problem, rule);
  TrainerOptions options = paper_training(task, TrainerOptions::Stopping::epochs);
  options.max_epochs = epochs;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport&) {
    out.push_back(predict(network, task, problem.training).negative_log_likelihood());
    return true;
  };
  fit(network, options, problem, callbacks);
  return out;
}

}  // namespace postrider::experiments
