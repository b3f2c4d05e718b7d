// How good predictions are, for numbers and for classes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider {

// A mean over rows or folds, or what is made of one, and its standard error.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};
// Mean of the terms and its standard error, 0 for a single one.
Estimate mean_estimate(std::span<const double> terms);

// --- numbers: each prediction is N(mean, variance), the noise of an observation included ------------

struct Predicted {
  std::span<const double> mean, variance;
};

double root_mean_square_error(std::span<const double> mean, std::span<const double> targets);
// Mean log density of the targets, in nats.
double log_likelihood(const Predicted& predicted, std::span<const double> targets);
// Continuous ranked probability score, in the units of the targets; lower is better.
double crps(const Predicted& predicted, std::span<const double> targets);

// At each level, a probability: the share of targets inside the central interval that should hold so
// many of them.
std::vector<double> coverage(const Predicted& predicted, std::span<const double> targets,
                             std::span<const double> levels);
// Mean of coverage minus level over the levels 0.01 ... 0.99: above 0 the intervals are too wide,
// below 0 too narrow. The second takes the coverage at these levels.
double calibration_error(const Predicted& predicted, std::span<const double> targets);
double calibration_error(std::span<const double> covered);
std::vector<double> calibration_levels();

// --- classes: row by row one probability for each class ---------------------------------------------

double accuracy(std::span<const double> probabilities, std::span<const std::size_t> labels);
// Mean negative log probability of the true class, in nats; a probability counts as at least 1e-15.
double log_loss(std::span<const double> probabilities, std::span<const std::size_t> labels);
// Rows in bins of equal width by the probability of their most probable class: the mean distance
// between that probability and the share that was right, weighted by rows.
double expected_calibration_error(std::span<const double> probabilities,
                                  std::span<const std::size_t> labels, std::size_t bins = 15);

// The probability that a value of `higher` is above one of `lower`, ties counting half: how well a
// score tells the two apart.
double area_under_curve(std::span<const double> lower, std::span<const double> higher);

}  // namespace postrider
