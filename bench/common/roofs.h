// What this machine can do at most, measured when it is needed: other guests of a shared host slow it
// down by a share that changes from minute to minute.
#pragma once

#include <cstddef>

#include "experiments/common/result.h"

namespace postrider::bench {

// On one core, vectors of floats of the best instruction set, data in registers.
struct VectorRates {
  std::size_t lanes = 0;
  double multiply_adds = 0;  // vectors per second
  double estimates = 0;      // of reciprocals, vectors per second
};
// The best of several short runs.
VectorRates measure_vector_rates(bool quick);

// Seconds to read this many bytes of floats once, and to read, change and write them in place.
// Medians over `repeats`.
struct MemoryTimes {
  double read = 0, update = 0;
};
MemoryTimes measure_memory(std::size_t bytes, std::size_t repeats);

experiments::Object to_object(const VectorRates& rates);

}  // namespace postrider::bench
