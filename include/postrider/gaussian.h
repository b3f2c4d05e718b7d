// One-dimensional Gaussian messages and beliefs.
#pragma once

#include <iosfwd>
#include <limits>
#include <string>

#include "postrider/export.h"

namespace postrider {

// A Gaussian in natural parameters, tau = mean/variance and rho = 1/variance, in one of these
// states:
//
//   proper      0 < rho < infinity: the density N(x; tau/rho, 1/rho)
//   uniform     rho = 0:            the constant 1, which says nothing
//   point mass  rho = infinity:     x is known; tau then holds its value
//   improper    rho < 0:            only a quotient can be this; it is no message. So is the
//                                   exponential slope that is left if rho = 0 but tau is not
//
// Sixteen bytes, a value type: multiply and divide as the densities they stand for, up to scale.
class POSTRIDER_EXPORT Gaussian {
 public:
  enum class State { proper, uniform, point_mass, improper };

  constexpr Gaussian() = default;  // uniform

  static constexpr Gaussian uniform() { return {}; }
  static Gaussian point_mass(double value);
  // variance = 0 gives a point mass, variance = infinity the uniform message.
  static Gaussian from_moments(double mean, double variance);
  // rho = infinity is refused: a point mass has no tau. See point_mass.
  static Gaussian from_natural(double tau, double rho);

  constexpr double tau() const { return tau_; }
  constexpr double rho() const { return rho_; }
  constexpr State state() const {
    if (rho_ == 0) return tau_ == 0 ? State::uniform : State::improper;
    if (rho_ == std::numeric_limits<double>::infinity()) return State::point_mass;
    return rho_ > 0 ? State::proper : State::improper;
  }
  constexpr bool is_proper() const { return state() == State::proper; }
  constexpr bool is_uniform() const { return state() == State::uniform; }
  constexpr bool is_point_mass() const { return state() == State::point_mass; }

  // Mean 0 and variance infinity for the uniform message, variance 0 for a point mass.
  double mean() const;
  double variance() const;
  double std() const;  // standard deviation
  // log N(x; mean, variance); 0 for the uniform message; -infinity beside a point mass.
  double log_density(double x) const;

  // Up to scale. A point mass times anything is that point mass; two different ones contradict each
  // other and throw. A quotient may be improper: ask state(). What rounding leaves of equal messages
  // is uniform, not improper.
  POSTRIDER_EXPORT friend Gaussian operator*(const Gaussian& a, const Gaussian& b);
  POSTRIDER_EXPORT friend Gaussian operator/(const Gaussian& a, const Gaussian& b);
  Gaussian& operator*=(const Gaussian& other) { return *this = *this * other; }
  Gaussian& operator/=(const Gaussian& other) { return *this = *this / other; }

  // The message raised to a power, as damping and tempering need it.
  Gaussian power(double exponent) const;

  friend constexpr bool operator==(const Gaussian&, const Gaussian&) = default;

 private:
  constexpr Gaussian(double tau, double rho) : tau_(tau), rho_(rho) {}

  double tau_ = 0;
  double rho_ = 0;
};

// log of the integral of a(x) b(x), with the uniform message as the constant 1 and a point mass as
// a Dirac delta: what a product adds to the log-evidence. +infinity where the integral diverges.
POSTRIDER_EXPORT double log_overlap(const Gaussian& a, const Gaussian& b);

// KL(p || q) of two proper Gaussians; 0 between equal states, infinity where p has no density that
// q covers (p uniform or a point mass and q something else), NaN if either is improper.
POSTRIDER_EXPORT double kl_divergence(const Gaussian& p, const Gaussian& q);

// How far two messages may differ and still count as equal.
struct Tolerance {
  double relative = 1e-12;  // of the precision, and of the mean in units of max(|mean|, std)
};
POSTRIDER_EXPORT bool equal_within(const Gaussian& a, const Gaussian& b, Tolerance tolerance);

// "N(mean, variance)", "uniform", "point mass at x" or "improper (tau, rho)".
POSTRIDER_EXPORT std::string to_string(const Gaussian& message);
POSTRIDER_EXPORT std::ostream& operator<<(std::ostream& out, const Gaussian& message);

}  // namespace postrider
