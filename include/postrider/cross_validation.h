// How good predictions of new rows will be: each row is predicted by a model that has not learned it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postrider/classifier.h"
#include "postrider/distributions.h"
#include "postrider/export.h"
#include "postrider/fleet.h"
#include "postrider/metrics.h"
#include "postrider/regressor.h"

namespace postrider {

struct POSTRIDER_EXPORT CrossValidationOptions {
  std::size_t folds = 5;   // at least 2, and at most as many as there are rows
  std::uint64_t seed = 1;  // of the order in which rows are dealt to folds

  void validate(std::size_t rows) const;  // throws InvalidArgument
};

// Row by row the fold in which it is left out. Sizes of folds differ by one at most; where there are
// labels, so do the numbers of rows of each class.
POSTRIDER_EXPORT std::vector<std::size_t> folds_of(std::size_t rows,
                                                   const CrossValidationOptions& how);
POSTRIDER_EXPORT std::vector<std::size_t> folds_of(std::span<const std::size_t> labels,
                                                   const CrossValidationOptions& how);

// Scores are means over folds, and their standard errors tell how much folds differ. Rows count once in
// them, whatever their weights in training.
struct Regressor::Validation {
  std::vector<std::size_t> folds;  // of each row
  std::vector<Regressor> models;   // one for each fold, without what it has left out
  Forecast forecast;               // of all rows, each by the model that has not learned it
  // For each target, by what that model predicts: the logarithm of the density, and the probability of
  // less.
  std::vector<double> log_densities, below;
  Estimate root_mean_square_error, log_likelihood;
  Estimate coverage;  // the share of targets in their central intervals of 90 %
};
struct Classifier::Validation {
  std::vector<std::size_t> folds;
  std::vector<Classifier> models;
  std::vector<double> probabilities;  // row by row, one for each class
  Estimate accuracy, log_loss;
};

// All folds are trained in one call of fit_fleet(). Their networks have one shape, the one that suits the
// smallest fold's rows, and as many members. No checkpoints are written. Throws Error if a fold learns
// nothing, Interrupted if training was cancelled: scores of folds that were not learned to the end would
// mislead. Rows with groups are dealt by group: see folds_by_group().
POSTRIDER_EXPORT Regressor::Validation validate_regressor(const EstimatorOptions& options,
                                                          const Examples& rows,
                                                          const CrossValidationOptions& how = {},
                                                          const TrainingCallbacks& callbacks = {});
POSTRIDER_EXPORT Classifier::Validation validate_classifier(
    const EstimatorOptions& options, const Examples& rows, const CrossValidationOptions& how = {},
    const TrainingCallbacks& callbacks = {});

}  // namespace postrider
