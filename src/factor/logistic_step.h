// The sign of a score with logistic noise, f(x) = 1/(1 + exp(-sign x)), of many scores at once. The logistic distribution is taken
// as a mixture of three Gaussians of mean 0, each of which leaves a step of tilted-inl.h:
//
//   f(x) = sum_k a_k Phi(sign x/s_k),   |error| < 5e-5,
//
// so that Z = sum_k a_k Z_k, and with r_k = a_k Z_k/Z and the derivatives of each step,
//
//   g1 = sum_k r_k g1_k,   g2 = sum_k r_k g2_k - Var_r[g1_k].
//
// Tails are those of the widest Gaussian: beyond |x| = 12, where f < 6e-6, they are thinner than the logistic ones.
// Guard: f is log-concave but for the error of the fit, which may leave a g2 below 0 in the tails: it is then 0, and counted.
#pragma once

#include <cstddef>
#include <span>

#include "factor/step.h"
#include "math/simd_level.h"

namespace postrider::internal {

struct LogisticArguments {
  std::span<const double> sign, mean, variance;
};

// Each result is the same to the bit whatever its neighbours are and however many, on one level. Returns how many were guarded.
std::size_t logistic_derivatives(const LogisticArguments& in, const StepOutputs& out,
                                 SimdLevel level);

}  // namespace postrider::internal
