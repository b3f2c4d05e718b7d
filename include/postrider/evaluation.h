// How good predictions are, of numbers and of classes, with standard errors.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postrider/distributions.h"
#include "postrider/export.h"
#include "postrider/metrics.h"
#include "postrider/table_warnings.h"

namespace postrider {

struct TableEvaluation {
  struct Coverage {
    double level = 0;  // of the central interval: the share that it should hold
    Estimate share;    // that it holds
  };

  // Rows whose most probable class has a probability in [low, high).
  struct Bin {
    double low = 0, high = 0;
    std::size_t rows = 0;
    double confidence = 0;  // mean probability of that class
    double accuracy = 0;    // share that was right
  };

  // The pinball loss of quantiles at this probability.
  struct Pinball {
    double probability = 0;
    Estimate loss;
  };

  struct Baseline;
  struct Numbers;

  std::size_t rows = 0;
  std::size_t without_target = 0;  // rows passed over
  // For a numeric target, in its unit. The CRPS is that of Gaussians with the
  // predicted moments; log-likelihood and coverage are those of the predicted distributions.
  Estimate root_mean_square_error, mean_absolute_error, log_likelihood, crps;
  std::vector<Coverage> coverage;
  Estimate explained_variance;                             // R^2
  std::optional<Estimate> mean_absolute_percentage_error;  // where it makes sense; see metrics.h
  std::vector<Pinball> pinball;                            // at 5, 50 and 95 %
  // For classification. Brier: the mean squared distance between probabilities and what came, summed over
  // classes, from 0 to 2.
  Estimate log_loss, accuracy, expected_calibration_error, brier;
  std::vector<Bin> bins;
  std::vector<ClassMetrics> by_class;
  // For two classes those of the second, for more the means over classes.
  Estimate area_under_curve, average_precision;
  // The same rows predicted by something simple; none if the model file is from before there were baselines.
  std::vector<Baseline> baselines;
  // What these figures are worth where a TableModel has learned some of the rows, see RepeatWatch::Found; else empty.
  std::string warning = {};
  // What to worry about: that, groups that intervals do not hold, figures that are other than those of training. Only TableModel
  // knows of them.
  std::vector<TableWarning> warnings = {};
};

// What a model must beat. "mean" and "base rate" say the same of every row: mean and variance, or shares of classes, of
// the training rows. "linear" is a ridge or a logistic regression, see docs/evaluation.md.
struct TableEvaluation::Baseline {
  std::string name;
  TableEvaluation evaluation;  // without baselines
  // Nats per row by which the model is better: the mean of the differences row by row, and its standard error.
  Estimate gain;
};

// Row by row: the target, and what was predicted of it.
struct TableEvaluation::Numbers {
  std::vector<double> targets, mean, std;
  std::vector<double> levels;  // above which intervals hold the target
  std::vector<double> log_density;
  std::vector<double> quantiles;  // row by row, at each of kPinballProbabilities
};
inline constexpr std::array kPinballProbabilities{0.05, 0.5, 0.95};

// One target for each of these distributions.
POSTRIDER_EXPORT TableEvaluation::Numbers predicted_numbers(const Distributions& predicted,
                                                            std::vector<double> targets);
// Where the predictions are Gaussians.
POSTRIDER_EXPORT TableEvaluation::Numbers gaussian_numbers(std::vector<double> targets,
                                                           std::vector<double> mean,
                                                           std::vector<double> std);

// Both need at least one row.
POSTRIDER_EXPORT TableEvaluation evaluate_numbers(const TableEvaluation::Numbers& predicted);
// Row by row a probability for each class, and the class that came.
POSTRIDER_EXPORT TableEvaluation evaluate_classes(std::span<const double> probabilities,
                                                  std::span<const std::size_t> labels);
// The logarithm of the probability of what came, row by row.
POSTRIDER_EXPORT std::vector<double> log_probabilities(std::span<const double> probabilities,
                                                       std::span<const std::size_t> labels);

// Something simple beside a model, on the same rows.
POSTRIDER_EXPORT TableEvaluation::Baseline baseline_of_numbers(
    std::string name, const TableEvaluation::Numbers& model,
    const TableEvaluation::Numbers& simple);
POSTRIDER_EXPORT TableEvaluation::Baseline baseline_of_classes(std::string name,
                                                               std::span<const double> model,
                                                               std::span<const double> simple,
                                                               std::span<const std::size_t> labels);

}  // namespace postrider
