// The first seed in detail, for the figures.
#pragma once

#include "study.h"

namespace postrider::experiments {

// Predictions over the inputs and beyond, training examples, weights: by both rules, prior means
// drawn afresh, the paper's stopping rule.
Object shown(const Study& study, const Settings& settings);

}  // namespace postrider::experiments
