#include "estimator/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/shuffle.h"
#include "data/kept_inputs.h"
#include "estimator/ensemble.h"
#include "estimator/model_options.h"
#include "estimator/untrained.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

// A stream of the seed's random numbers that nobody else uses.
constexpr std::uint64_t kFoldStream = 0xf01d5;
constexpr double kLevel = 0.9;

// Puts the values of these rows to their places.
void put(const std::vector<double>& values, const std::vector<std::size_t>& rows, std::size_t width,
         std::vector<double>& to) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < width; ++k) to[rows[i] * width + k] = values[i * width + k];
}

// What a fold learns, as fit() takes it.
struct FoldRows {
  FoldRows(const Examples& all, const std::vector<std::size_t>& rows)
      : inputs(all.inputs, rows),
        targets(picked(all.targets, rows, all.targets.size() / all.count())),
        weights(picked(all.sample_weights, rows, 1)),
        groups(picked(all.groups, rows, 1)) {}

  OwnedInputs inputs;
  std::vector<double> targets, weights;
  std::vector<std::uint32_t> groups;
};

std::size_t fewest_rows(const std::vector<Fold>& parts, std::span<const double> weights) {
  std::size_t out = std::numeric_limits<std::size_t>::max();
  for (const Fold& part : parts)
    out = std::min(out, effective_rows(part.learned.size(), picked(weights, part.learned, 1)));
  return out;
}

// A model for each fold, with what it has learned.
template <class Model>
std::vector<Model> models_of(const EstimatorOptions& options, const Examples& all,
                             const std::vector<Fold>& parts, const TrainingCallbacks& callbacks) {
  std::vector<Model> out;
  std::vector<FoldRows> kept;
  std::vector<Examples> rows;
  for (const Fold& part : parts) {
    out.emplace_back(options);
    kept.emplace_back(all, part.learned);
  }
  for (const FoldRows& fold : kept)
    rows.push_back({fold.inputs, fold.targets, fold.weights, fold.groups});
  expect_learned(fit_fleet(out, rows, callbacks));
  return out;
}

std::vector<std::size_t> dealt(const std::vector<std::size_t>& order, std::size_t folds) {
  std::vector<std::size_t> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = i % folds;
  return out;
}

// Row by row the fold in which it is left out, with all rows of its group.
std::vector<std::size_t> folds_of_groups(std::span<const std::uint32_t> groups,
                                         const CrossValidationOptions& how) {
  std::vector<std::string> names;
  for (const std::uint32_t group : groups) names.push_back(std::to_string(group));
  const std::vector<Fold> parts = folds_by_group(names, how.folds, how.seed);
  std::vector<std::size_t> out(groups.size());
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const std::size_t row : parts[k].left_out) out[row] = k;
  return out;
}

struct NumericScores {
  std::vector<double> errors, log_likelihoods, coverages;  // one for each fold
};

// Predicts what one fold has left out, and scores it.
void add_fold(const Regressor& model, const Fold& part, const Examples& all,
              Regressor::Validation& to, NumericScores& scores) {
  const std::size_t outputs = model.options().outputs;
  const std::vector<double> targets = picked(all.targets, part.left_out, outputs);
  const Distributions found = model.distributions(OwnedInputs(all.inputs, part.left_out));
  const Forecast forecast = found.moments();
  put(forecast.mean, part.left_out, outputs, to.forecast.mean);
  put(forecast.variance, part.left_out, outputs, to.forecast.variance);
  put(forecast.noise_variance, part.left_out, outputs, to.forecast.noise_variance);
  const std::vector<double> log_densities = found.log_densities(targets);
  const std::vector<double> below = found.below(targets);
  put(log_densities, part.left_out, outputs, to.log_densities);
  put(below, part.left_out, outputs, to.below);
  scores.errors.push_back(root_mean_square_error(forecast.mean, targets));
  scores.log_likelihoods.push_back(mean_estimate(log_densities).value);
  const std::vector<double> levels = found.levels(targets);
  const auto is_inside = [](double level) { return level < kLevel; };
  scores.coverages.push_back(static_cast<double>(std::ranges::count_if(levels, is_inside)) /
                             static_cast<double>(levels.size()));
}

}  // namespace

void CrossValidationOptions::validate(std::size_t rows) const {
  if (folds < 2 || folds > rows)
    reject("folds", folds,
           "must be at least 2, and at most the number of rows, " + std::to_string(rows));
}

std::vector<std::size_t> folds_of(std::size_t rows, const CrossValidationOptions& how) {
  how.validate(rows);
  RandomStream random(how.seed, kFoldStream);
  return dealt(random_order(rows, random), how.folds);
}

std::vector<std::size_t> folds_of(std::span<const std::size_t> labels,
                                  const CrossValidationOptions& how) {
  how.validate(labels.size());
  RandomStream random(how.seed, kFoldStream);
  std::vector<std::size_t> order = random_order(labels.size(), random);
  // Class after class, and each where the one before has ended: all of them are dealt evenly.
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return labels[row]; });
  return dealt(order, how.folds);
}

namespace internal {

std::vector<Fold> parts_of(std::span<const std::size_t> folds) {
  std::vector<Fold> out(*std::ranges::max_element(folds) + 1);
  for (std::size_t row = 0; row < folds.size(); ++row)
    for (std::size_t k = 0; k < out.size(); ++k)
      (folds[row] == k ? out[k].left_out : out[k].learned).push_back(row);
  return out;
}

EstimatorOptions options_of_folds(const EstimatorOptions& options, OptionInfo::Scope targets,
                                  std::size_t columns, std::size_t rows) {
  const ModelKind kind = EstimatorState(options, targets).kind();
  EstimatorOptions out = options;
  const std::size_t outputs = network_outputs(options, kind, {});
  out.hidden = widths_for(options.hidden, columns, outputs, rows, options.weights_per_example);
  out.weights_per_example = 0;
  const std::size_t weights =
      network::NetworkOptions::dense(columns, out.hidden, outputs).weights();
  out.ensemble_size =
      members_for(options.ensemble_size, rows, weights, are_for_many_rows(out.hidden));
  out.training.checkpoint.clear();
  out.training.resume = false;
  return out;
}

void expect_learned(std::span<const FleetReport> folds) {
  for (std::size_t k = 0; k < folds.size(); ++k)
    if (!folds[k].failure.empty())
      throw Error("fold " + std::to_string(k) + ": " + folds[k].failure);
  const auto was_cancelled = [](const FitReport& fit) {
    return fit.reason == FitReport::StopReason::cancelled;
  };
  for (const FleetReport& fold : folds)
    if (fold.fits.empty() || std::ranges::any_of(fold.fits, was_cancelled))
      throw Interrupted("cross-validation was interrupted: not all folds were learned");
}

}  // namespace internal

Regressor::Validation validate_regressor(const EstimatorOptions& options, const Examples& rows,
                                         const CrossValidationOptions& how,
                                         const TrainingCallbacks& callbacks) {
  options.validate_for(OptionInfo::Scope::numeric_target);
  const std::size_t outputs = options.outputs, targets = rows.targets.size();
  const Examples all = sound_examples(rows, OptionInfo::Scope::numeric_target, outputs);
  Regressor::Validation out;
  out.folds = rows.groups.empty() ? folds_of(all.count(), how) : folds_of_groups(rows.groups, how);
  const std::vector<Fold> parts = parts_of(out.folds);
  out.models =
      models_of<Regressor>(options_of_folds(options, OptionInfo::Scope::numeric_target,
                                            all.columns(), fewest_rows(parts, rows.sample_weights)),
                           all, parts, callbacks);
  for (std::vector<double>* values : {&out.forecast.mean, &out.forecast.variance,
                                      &out.forecast.noise_variance, &out.log_densities, &out.below})
    values->resize(targets);
  NumericScores scores;
  for (std::size_t k = 0; k < parts.size(); ++k)
    add_fold(out.models[k], parts[k], all, out, scores);
  out.root_mean_square_error = mean_estimate(scores.errors);
  out.log_likelihood = mean_estimate(scores.log_likelihoods);
  out.coverage = mean_estimate(scores.coverages);
  return out;
}

Classifier::Validation validate_classifier(const EstimatorOptions& options, const Examples& rows,
                                           const CrossValidationOptions& how,
                                           const TrainingCallbacks& callbacks) {
  options.validate_for(OptionInfo::Scope::classes);
  const Examples all = sound_examples(rows, OptionInfo::Scope::classes, 1);
  const std::vector<std::size_t> labels(all.targets.begin(), all.targets.end());
  EstimatorOptions own = options;
  // Found in all rows: a fold may miss the last class.
  own.classes = network::classes_of(network_outputs(options, ModelKind::classifier, all.targets));
  Classifier::Validation out;
  out.folds = rows.groups.empty() ? folds_of(labels, how) : folds_of_groups(rows.groups, how);
  const std::vector<Fold> parts = parts_of(out.folds);
  out.models =
      models_of<Classifier>(options_of_folds(own, OptionInfo::Scope::classes, all.columns(),
                                             fewest_rows(parts, rows.sample_weights)),
                            all, parts, callbacks);
  out.probabilities.resize(all.count() * own.classes);
  std::vector<double> accuracies, log_losses;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::vector<std::size_t>& left_out = parts[k].left_out;
    const std::vector<double> found =
        out.models[k].predict_probabilities(OwnedInputs(all.inputs, left_out));
    put(found, left_out, own.classes, out.probabilities);
    const std::vector<std::size_t> truth =
        picked(std::span<const std::size_t>(labels), left_out, 1);
    accuracies.push_back(accuracy(found, truth));
    log_losses.push_back(log_loss(found, truth));
  }
  out.accuracy = mean_estimate(accuracies);
  out.log_loss = mean_estimate(log_losses);
  return out;
}

}  // namespace postrider
