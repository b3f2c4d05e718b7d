// Numbers with Gaussian noise whose variance is itself uncertain: log-densities, and messages. The
// formulas are those of varying_noise-inl.h.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "math/simd_level.h"

namespace postrider::internal {

struct VaryingNoiseInput {
  double residual;                // r
  double variance;                // v
  double log_mean, log_variance;  // m_g, v_g
  double scale;
};

struct VaryingNoiseDerivatives {
  double log_z = 0;
  double x_g1 = 0, x_g2 = 0, log_g1 = 0, log_g2 = 0;
  double scale_slope = 0;   // of log Z by log scale
  std::size_t guarded = 0;  // of the two second derivatives
};

VaryingNoiseDerivatives varying_noise_derivatives(const VaryingNoiseInput& in);

// Many of them, one in each lane. Each result is the same to the bit whatever its neighbours are and
// however many, on one level.
struct VaryingNoiseArguments {
  std::span<const double> residual, variance, log_mean, log_variance, scale;
};
struct VaryingNoiseOutputs {
  std::span<double> log_z, x_g1, x_g2, log_g1, log_g2, scale_slope;
  std::span<double> guarded;
};
void varying_noise_derivatives(const VaryingNoiseArguments& in, const VaryingNoiseOutputs& out,
                               SimdLevel level);

// log Z alone: the predictive density of y.
double varying_noise_log_density(const VaryingNoiseInput& in);
// Many of them, as above.
void varying_noise_log_densities(const VaryingNoiseArguments& in, std::span<double> log_densities,
                                 SimdLevel level);

// The density of y as a mixture: N(x, v + noise) with one of these noises, whose weights sum to 1. By
// the trapezoid rule, which converges as fast for distribution functions as for Z.
struct NoiseShare {
  double weight, noise;
};
inline constexpr std::size_t kNoiseShares = 29;
std::array<NoiseShare, kNoiseShares> noise_shares(double log_mean, double log_variance,
                                                  double scale);
// By Gauss and Hermite's rule: moments are as good, distribution functions good to some 1e-4.
inline constexpr std::size_t kFewNoiseShares = 7;
std::array<NoiseShare, kFewNoiseShares> few_noise_shares(double log_mean, double log_variance,
                                                         double scale);

// scale exp(g), within the bounds.
double noise_at(double g, double scale);

// E[scale exp(g)]: the variance of the noise.
double expected_noise(double log_mean, double log_variance, double scale);

}  // namespace postrider::internal
