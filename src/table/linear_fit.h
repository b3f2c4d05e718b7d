// Ridge, logistic and softmax regression of rows that are mostly zeros.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/inputs.h"

namespace postrider::internal {

// What is to be fitted. Inputs may be NaN, which counts as the column's mean. Targets are numbers; of classes there are
// labels instead.
struct LinearProblem {
  const SparseInputs& inputs;
  std::span<const double> targets = {};
  std::span<const std::size_t> labels = {};
  std::size_t classes = 0;               // 0: a number
  std::span<const double> weights = {};  // of rows; empty: all 1
};

// Takes the inputs as they come. Outputs are one for a number and for two classes (the log odds of the second), else one for
// each class.
struct LinearFit {
  std::vector<double> intercepts;  // one for each output
  std::vector<double> weights;     // input by input, one for each output
  std::vector<double> centres;     // the inputs' means: they stand for what is missing
};

// Least of the loss and a penalty of half the square (of numbers, the whole square) of each weight of a standardised
// column; intercepts are free. The loss is the sum of squares, or of negative log probabilities.
LinearFit fit_linear(const LinearProblem& problem);

// Row by row the outputs.
std::vector<double> linear_outputs(const LinearFit& fit, const SparseInputs& inputs);

}  // namespace postrider::internal
