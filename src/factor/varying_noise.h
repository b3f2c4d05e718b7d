// Density:    f(y, x, g) = N(y; x, scale exp(g))
// Messages:   to x and to g, by tilting (tilted-inl.h), given N(m, v) at x, N(m_g, v_g) at g and a
//             known y. With r = y - m, s(g) = v + scale exp(g),
//
//               Z = integral of N(g; m_g, v_g) N(r; 0, s(g)) dg,
//
//             and E, Var the moments of g under the normalised integrand:
//               x:  g1 = E[r/s],            g2 = E[1/s] - Var[r/s],
//               g:  g1 = (E[g] - m_g)/v_g,  g2 = (1 - Var[g]/v_g)/v_g.
//             The integral is one-dimensional whatever x is; it is taken by the trapezoid rule.
// Domain:     v >= 0, v_g > 0, scale > 0.
// Limits:     [limit: known_noise] v_g -> 0: gaussian_likelihood with variance scale exp(m_g).
//             [limit: vague] v much above scale exp(g): nothing is said about g.
// Guard:      Z is not log-concave: after a surprise, r^2 much above s, either g2 may be negative. It
//             is then raised to a share of its mean over y, E[1/s] or E[(scale exp(g)/s)^2]/2, which
//             keeps the belief's mean where tilting puts it and its variance below what it was.
//             Predicted noise is kept within exp(+-100) of the scale, far beyond what rows near the
//             data give, so that it is a number for any row.
// Reference:  beyond the paper.
#pragma once

#include <array>
#include <cstddef>

namespace postrider {

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

// log Z alone: the predictive density of y.
double varying_noise_log_density(const VaryingNoiseInput& in);

// The density of y as a mixture: N(x, v + noise) with one of these noises, whose weights sum to 1. By
// the trapezoid rule, which converges as fast for distribution functions as for Z.
struct NoiseShare {
  double weight, noise;
};
inline constexpr std::size_t kNoiseShares = 29;
std::array<NoiseShare, kNoiseShares> noise_shares(double log_mean, double log_variance,
                                                  double scale);

// scale exp(g), within the bounds.
double noise_at(double g, double scale);

// E[scale exp(g)]: the variance of the noise.
double expected_noise(double log_mean, double log_variance, double scale);

}  // namespace postrider
