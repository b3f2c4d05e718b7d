// Learning the noise of the targets from predictions that have not seen them.
#pragma once

#include <cstddef>
#include <span>

namespace postrider::internal {

// Noise variances that are accepted from callers and files: their inverses are numbers in float, too.
inline constexpr double kLeastNoiseVariance = 1e-30, kMostNoiseVariance = 1e30;

// Squared residuals and predictive variances (without noise) of one output.
struct HeldOut {
  std::span<const double> squared_residuals, variances;
  std::span<const double> weights = {};  // how often each counts; empty: once
};

// The noise variance b within [least, most] at which sum_i log N(residual_i; 0, variance_i + b) no
// longer rises.
double most_likely_noise(const HeldOut& held_out, double least, double most);

// Half a step, in the logarithm, from the present noise variance to the most likely one. In the
// first epoch, whose early predictions know nothing, it aims no lower than a quarter of the present.
double next_noise(double present, double most_likely, bool is_first_epoch);

// Where only the derivatives of each row's log-likelihood by the logarithm of the noise are known: one
// step of Fisher's scoring, by at most a factor of two. The information is the sum of the slopes'
// squares, and half a unit for each of `rows_known` rows that the present noise is known from already.
// Weights say how often each slope counts, or are none.
double noise_by_slopes(double present, std::span<const double> slopes, double rows_known = 0,
                       std::span<const double> weights = {});

// Where the noise of a row is b exp(h), and h is an output of the network, rows tell b exp(h) and neither of the two. If the
// network finds the noise larger than rows do that it has not learned, h rises and b falls epoch after epoch, down to nothing, and
// networks no longer agree about h. So b takes over a tenth of the mean h in each epoch, and h, told what is left, comes back to 0.
// Weights as above.
double noise_with_level(double noise, std::span<const double> levels,
                        std::span<const double> weights = {});

}  // namespace postrider::internal
