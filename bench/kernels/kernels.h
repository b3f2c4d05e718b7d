// Micro-benchmarks, each once per instruction set that this machine has.
#pragma once

#include "math/simd_level.h"

namespace postrider::bench {

void register_sweep(SimdLevel level);
void register_activation(SimdLevel level);
void register_units(SimdLevel level);

}  // namespace postrider::bench
