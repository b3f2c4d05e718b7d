// How good a table's predictions are, with standard errors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/table_model.h"

namespace postrider {

// Mean of the terms and its standard error, 0 for a single one.
Estimate mean_estimate(std::span<const double> terms);

// A mean over rows of which only the means over groups of rows are known: a call per row would cost
// more than its work.
class GroupedMean {
 public:
  void add(double mean, std::size_t rows);
  Estimate estimate() const;

 private:
  std::vector<double> means_, rows_;
};

TableEvaluation evaluate_numbers(const TablePrediction& predicted, std::span<const double> targets,
                                 const Estimate& log_likelihood);
TableEvaluation evaluate_classes(std::span<const double> probabilities,
                                 std::span<const std::size_t> labels);

}  // namespace postrider
