// Learning the noise of the targets from predictions that have not seen them.
#pragma once

#include <cstddef>
#include <span>

namespace postrider {

// Squared residuals and predictive variances (without noise) of one output.
struct HeldOut {
  std::span<const double> squared_residuals, variances;
  std::span<const double> weights = {};  // how often each counts; empty: once
};

// A noise variance known beforehand, as well as from so many rows with nothing but noise.
struct KnownNoise {
  double variance = 1, rows = 0;
};

// The noise variance b within [least, most] at which sum_i log N(residual_i; 0, variance_i + b) no
// longer rises; what is known beforehand counts as rows whose squared residual is its variance.
double most_likely_noise(const HeldOut& held_out, double least, double most,
                         const KnownNoise& known = {});

// Half a step, in the logarithm, from the present noise variance to the most likely one. In the
// first epoch, whose early predictions know nothing, it aims no lower than a quarter of the present.
double next_noise(double present, double most_likely, bool is_first_epoch);

// Where only the derivatives of each row's log-likelihood by the logarithm of the noise are known: one
// step of Fisher's scoring, with the sum of their squares for the information, and by at most a factor
// of two. `rows_known` rows count as rows without a slope. Weights say how often each counts, or are
// none.
double noise_by_slopes(double present, std::span<const double> slopes, double rows_known = 0,
                       std::span<const double> weights = {});

}  // namespace postrider
