// Where the time of small networks goes.
#pragma once

#include "bench/common/program.h"

namespace postrider::bench {

// For the small networks of bench/epoch: nanoseconds per example, the same with linear hidden layers,
// and the bound of the arithmetic over edges. What the second lacks is the price of activations. Prints a
// table.
experiments::Object anatomy(const Settings& settings);

}  // namespace postrider::bench
