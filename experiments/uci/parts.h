// The parts of the UCI benchmark.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

// All sets and splits with the defaults, and with one layer of 50 units as the papers have it. Besides: how many
// targets lie in the intervals of the defaults' predictions.
Part benchmark(const Settings& settings);
// Widths and depths with otherwise the same defaults.
Part shapes(const Settings& settings);
// How predictive deviations grow with the distance from the training rows.
Part widening(const Settings& settings);
// Cells taken away: vague messages against means in their place.
Part missing(const Settings& settings);
// One change of the defaults at a time.
Part trials(const Settings& settings);

}  // namespace postrider::experiments
