// The first seed in detail, for the figures.
#pragma once

#include "study.h"

namespace postrider::experiments {
using namespace internal;

// Predictions over the inputs and beyond, training examples, weights: by both rules, prior means
// drawn afresh, the paper's stopping rule.
Object shown(const Study& study, const Settings& settings);

// Where they are made, with what is true there.
std::vector<Example> shown_examples(const NetworkTask& task, const Problem& problem);
// Row-wise values as one column per output.
Object by_output(const std::vector<double>& values, std::size_t outputs);

}  // namespace postrider::experiments
