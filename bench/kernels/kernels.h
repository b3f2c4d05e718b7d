// Micro-benchmarks, each once per instruction set that this machine has.
#pragma once

#include "math/simd_level.h"

namespace postrider::bench {
using namespace internal;

void register_sweep(SimdLevel level);
void register_activation(SimdLevel level);
void register_units(SimdLevel level);
// On the best instruction set alone: it is not for a caller to choose.
void register_likelihoods();

}  // namespace postrider::bench
