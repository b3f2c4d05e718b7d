// Networks side by side, against the arithmetic of their sweeps.
#pragma once

#include "bench/common/program.h"

namespace postrider::bench {

struct EnsembleLimits {
  experiments::Object result;  // by network
  double fraction;             // the lowest of all
};

// Networks whose beliefs, of all lanes together, fit the second-level cache. Prints a table.
EnsembleLimits ensemble_in_cache(const Settings& settings);

}  // namespace postrider::bench
