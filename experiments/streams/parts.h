// The parts of the experiments on streams.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

// The same rows, cut into calls in several ways: the result must be the same.
Part cuts(const Settings& settings);

// A sparse model of up to 10^8 weights: memory, and time per weight.
Part scale(const Settings& settings);

}  // namespace postrider::experiments
