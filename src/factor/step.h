// The sign of a noisy score, of many scores at once: the step of tilted-inl.h, of which probit is the
// factor, on the vector unit.
#pragma once

#include <cstddef>
#include <span>

#include "math/simd_level.h"

namespace postrider::internal {

// Scores N(mean, variance), seen with noise of this variance above 0; `sign` is 1 or -1, as was seen.
struct StepArguments {
  std::span<const double> sign, noise, mean, variance;
};

// The log-probability of what was seen, its first and minus its second derivative by the mean.
struct StepOutputs {
  std::span<double> log_z, g1, g2;
};

// Each result is the same to the bit whatever its neighbours are and however many, on one level.
void step_derivatives(const StepArguments& in, const StepOutputs& out, SimdLevel level);

}  // namespace postrider::internal
