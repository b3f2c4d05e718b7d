// How good predictions are, for numbers and for classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postrider/export.h"

namespace postrider {

// A mean over rows or folds, or what is made of one, and its standard error.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};
// Mean of the terms and its standard error, 0 for a single one.
POSTRIDER_EXPORT Estimate mean_estimate(std::span<const double> terms);
// The mean of the first over the mean of the second, and its standard error to first order; NaN if the second is 0.
POSTRIDER_EXPORT Estimate ratio_estimate(std::span<const double> terms, std::span<const double> of);

// --- numbers: each prediction is N(mean, variance), the noise of an observation included ------------

struct Predicted {
  std::span<const double> mean, variance;
};

POSTRIDER_EXPORT double root_mean_square_error(std::span<const double> mean,
                                               std::span<const double> targets);
// Mean log density of the targets, in nats.
POSTRIDER_EXPORT double log_likelihood(const Predicted& predicted, std::span<const double> targets);
// The share of the targets' variance, about their own mean, that predictions explain: 1 - mean square error / variance.
// NaN if all targets are equal.
POSTRIDER_EXPORT Estimate explained_variance(std::span<const double> mean,
                                             std::span<const double> targets);
// Mean of |target - prediction| / |target|. Makes sense where relative_errors_make_sense() says so.
POSTRIDER_EXPORT Estimate mean_absolute_percentage_error(std::span<const double> mean,
                                                         std::span<const double> targets);
// Whether all targets have one sign, and the smallest is not below a twentieth of their mean.
POSTRIDER_EXPORT bool relative_errors_make_sense(std::span<const double> targets);
// The pinball loss of quantiles at this probability: (target - quantile) probability where the target is above,
// (quantile - target) (1 - probability) where it is below; lower is better.
POSTRIDER_EXPORT Estimate pinball_loss(std::span<const double> quantiles,
                                       std::span<const double> targets, double probability);
// Continuous ranked probability score, in the units of the targets; lower is better.
POSTRIDER_EXPORT double crps(const Predicted& predicted, std::span<const double> targets);

// At each level, a probability: the share of targets inside the central interval that should hold so
// many of them.
POSTRIDER_EXPORT std::vector<double> coverage(const Predicted& predicted,
                                              std::span<const double> targets,
                                              std::span<const double> levels);
// Mean of coverage minus level over the levels 0.01 ... 0.99: above 0 the intervals are too wide,
// below 0 too narrow. The second takes the coverage at these levels.
POSTRIDER_EXPORT double calibration_error(const Predicted& predicted,
                                          std::span<const double> targets);
POSTRIDER_EXPORT double calibration_error(std::span<const double> covered);
POSTRIDER_EXPORT std::vector<double> calibration_levels();

// --- classes: row by row one probability for each class ---------------------------------------------

POSTRIDER_EXPORT double accuracy(std::span<const double> probabilities,
                                 std::span<const std::size_t> labels);
// Mean negative log probability of the true class, in nats; a probability counts as at least 1e-15.
POSTRIDER_EXPORT double log_loss(std::span<const double> probabilities,
                                 std::span<const std::size_t> labels);
// Rows in bins of equal width by the probability of their most probable class: the mean distance
// between that probability and the share that was right, weighted by rows.
POSTRIDER_EXPORT double expected_calibration_error(std::span<const double> probabilities,
                                                   std::span<const std::size_t> labels,
                                                   std::size_t bins = 15);

// The probability that a value of `higher` is above one of `lower`, ties counting half: how well a
// score tells the two apart.
POSTRIDER_EXPORT double area_under_curve(std::span<const double> lower,
                                         std::span<const double> higher);
// The same with its standard error, by DeLong, DeLong and Clarke-Pearson (1988).
POSTRIDER_EXPORT Estimate area_under_curve_estimate(std::span<const double> lower,
                                                    std::span<const double> higher);

// Mean squared distance between probabilities and what came, summed over classes: from 0 to 2.
POSTRIDER_EXPORT Estimate brier_score(std::span<const double> probabilities,
                                      std::span<const std::size_t> labels);

// One class against all others, when the most probable class is chosen. Standard errors are of ratios, to first
// order. NaN where there is nothing to divide by.
struct ClassMetrics {
  std::size_t rows = 0, chosen = 0;  // that are of the class; that were taken for it
  Estimate precision, recall, f1;    // f1: 2 / (1/precision + 1/recall)
  Estimate area_under_curve;         // by the class's probability
  Estimate average_precision;        // of the class's probability; see below
};
POSTRIDER_EXPORT std::vector<ClassMetrics> class_metrics(std::span<const double> probabilities,
                                                         std::span<const std::size_t> labels);

// The mean precision over the rows that are of the class: sum of precision times the rise of recall, from the highest
// score down, rows of equal score together. Its standard error is that of 100 sets of rows drawn again by the seed.
// NaN if no row is of the class.
POSTRIDER_EXPORT Estimate average_precision(std::span<const double> scores,
                                            const std::vector<bool>& is_of_class,
                                            std::uint64_t seed = 1);

}  // namespace postrider
