// How good a table's predictions are, with standard errors.
#pragma once

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
};

TableEvaluation evaluate_numbers(const PredictedNumbers& predicted);
TableEvaluation evaluate_classes(std::span<const double> probabilities,
                                 std::span<const std::size_t> labels);

}  // namespace postrider
