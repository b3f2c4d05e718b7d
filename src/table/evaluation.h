// How good a table's predictions are, with standard errors.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "postrider/table_model.h"

namespace postrider {

// Row by row: the target, and what was predicted of it.
struct PredictedNumbers {
  std::vector<double> targets, mean, std;
  std::vector<double> levels;  // above which intervals hold the target
  std::vector<double> log_density;
  std::vector<double> quantiles;  // row by row, at each of kPinballProbabilities
};
inline constexpr std::array kPinballProbabilities{0.05, 0.5, 0.95};

// Gaussians with these means and one variance, as of baselines.
PredictedNumbers gaussian_numbers(std::vector<double> targets, std::vector<double> mean,
                                  double variance);

TableEvaluation evaluate_numbers(const PredictedNumbers& predicted);
TableEvaluation evaluate_classes(std::span<const double> probabilities,
                                 std::span<const std::size_t> labels);
// For classes, the logarithm of the probability of what came.
std::vector<double> log_probabilities(std::span<const double> probabilities,
                                      std::span<const std::size_t> labels);

}  // namespace postrider
