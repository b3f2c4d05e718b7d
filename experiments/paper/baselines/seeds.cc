#include "baselines/seeds.h"

#include <cmath>

namespace postrider::experiments {
namespace {

// Training NLL in nats of a run that is counted as diverged. Answering 0 to everything costs tens.
constexpr double kLost = 1e3;

constexpr std::uint64_t kStartStreams = 2'000'000;  // beyond those of the problems

std::vector<double> draw_start(const Problem& problem, RandomStream random) {
  std::vector<double> out;
  for (const WeightPrior& prior : problem.prior)
    out.push_back(prior.mean + std::sqrt(prior.variance) * random.normal());
  return out;
}

TrainingRows rows_of(const Problem& problem) {
  TrainingRows out;
  for (const Example& example : problem.training) {
    out.inputs.insert(out.inputs.end(), example.inputs.begin(), example.inputs.end());
    out.targets.insert(out.targets.end(), example.targets.begin(), example.targets.end());
  }
  return out;
}

std::vector<double> targets_of(std::span<const Example> examples) {
  std::vector<double> out;
  for (const Example& example : examples)
    out.insert(out.end(), example.targets.begin(), example.targets.end());
  return out;
}

}  // namespace

GradientShape gradient_shape(const NetworkTask& task) {
  return {task.shape.widths, task.shape.slopes, task.shape.noise_variance};
}

Seeds draw_seeds(const Study& study, const Settings& settings, std::size_t count) {
  Seeds out;
  for (std::size_t i = 0; i < count; ++i) {
    out.problems.push_back(draw(study, false, settings.seed, i));
    out.rows.push_back(rows_of(out.problems.back()));
    out.starts.push_back(
        draw_start(out.problems.back(), RandomStream(settings.seed, kStartStreams + i)));
  }
  return out;
}

Predictor point_predictor(const NetworkTask& task, std::vector<double> weights) {
  return [&task, weights = std::move(weights)](std::span<const Example> examples) {
    Predictions out{{}, {}, targets_of(examples)};
    for (const Example& example : examples)
      for (const double y : evaluate(task.shape, weights, example.inputs)) {
        out.mean.push_back(y);
        out.variance.push_back(task.shape.noise_variance);
      }
    return out;
  };
}

Predictor sampled_predictor(const NetworkTask& task, std::vector<std::vector<double>> draws) {
  return [&task, draws = std::move(draws)](std::span<const Example> examples) {
    Predictions out{{}, {}, targets_of(examples)};
    const auto count = static_cast<double>(draws.size());
    Evaluator evaluator(task.shape);
    for (const Example& example : examples) {
      const std::size_t outputs = task.shape.outputs();
      std::vector<double> mean(outputs, 0), variance(outputs, 0);
      // Welford's sums, since the variance may be small beside the mean.
      double seen = 0;
      for (const std::vector<double>& weights : draws) {
        const std::span<const double> y = evaluator(weights, example.inputs);
        ++seen;
        for (std::size_t k = 0; k < outputs; ++k) {
          const double gap = y[k] - mean[k];
          mean[k] += gap / seen;
          variance[k] += gap * (y[k] - mean[k]) / count;
        }
      }
      for (std::size_t k = 0; k < outputs; ++k) {
        out.mean.push_back(mean[k]);
        out.variance.push_back(variance[k] + task.shape.noise_variance);
      }
    }
    return out;
  };
}

std::vector<std::vector<double>> draw_weights(const std::vector<double>& mean,
                                              const std::vector<double>& deviation,
                                              std::size_t count, RandomStream random) {
  std::vector<std::vector<double>> out(count, mean);
  for (std::vector<double>& weights : out)
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += deviation[k] * random.normal();
  return out;
}

Outcome outcome_of(const NetworkTask& task, const Problem& problem, const Predictor& predictor,
                   std::size_t epochs) {
  Outcome out;
  score(task, problem, predictor, out);
  out.epochs = out.kept = static_cast<double>(epochs);
  out.is_proper = out.training < kLost && std::isfinite(out.beyond);
  return out;
}

}  // namespace postrider::experiments
