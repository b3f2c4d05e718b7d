// The parts of the program; each names its result file.
#pragma once

#include "experiments/common/program.h"

namespace postrider::bench {

// The sweep engine against the graph engine, in double.
experiments::Part equivalence(const experiments::Settings& settings);
// Float against double with the sweep engine.
experiments::Part float_growth(const experiments::Settings& settings);
// Hundreds of epochs in float: beliefs stay proper, and running sums do not drift.
experiments::Part stability(const experiments::Settings& settings);
// Seconds until a network predicts well, against Adam.
experiments::Part time_to_quality(const experiments::Settings& settings);
// What sweeping several examples from one snapshot costs in accuracy and saves in time.
experiments::Part blocks(const experiments::Settings& settings);

}  // namespace postrider::bench
