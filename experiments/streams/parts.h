// The parts of the experiments on streams.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

// The same rows, cut into calls in several ways: the result must be the same.
Part cuts(const Settings& settings);
// Rides by the hour, learned day by day.
Part bike(const Settings& settings);
// Each row predicted before it is learned; peers.py adds other methods.
Part elec2(const Settings& settings);
Part weather(const Settings& settings);
// How soon after a change intervals hold again what they promise.
Part changes(const Settings& settings);
// One pass over many rows against epochs over them.
Part onepass(const Settings& settings);

// A sparse model of up to 10^8 weights: memory, and time per weight.
Part scale(const Settings& settings);

}  // namespace postrider::experiments
