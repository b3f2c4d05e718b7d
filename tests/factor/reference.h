// What messages are compared with: moments by quadrature, and the comparison itself. Nothing here
// comes from src/factor.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "math/quadrature.h"
#include "postrider/graph/factor.h"

namespace postrider::reference {
using namespace internal;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Mean errors count in units of max(|mean|, deviation), variances relative to themselves,
// logarithms of a mass absolutely as long as they are below 1 and relative to themselves above.
inline constexpr double kExact = 1e-9;
// Formulas without quadrature: a few operations on doubles, against fifty digits.
inline constexpr double kRounding = 1e-12;

struct Moments {
  double mean, variance;
  double log_mass = 0;
};

inline double log_density(double x, double mean, double variance) {
  const double gap = x - mean;
  return -0.5 * (gap * gap / variance + std::log(2 * M_PI * variance));
}
inline double log_density(double x, const Moments& of) {
  return log_density(x, of.mean, of.variance);
}

// log Phi(u), for u > -37; below it the mass is zero.
inline double log_cdf(double u) { return std::log(0.5 * std::erfc(-u * M_SQRT1_2)); }

// The logarithm of a sum of two exponentials.
inline double log_sum(double a, double b) {
  const double top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log1p(std::exp(std::min(a, b) - top));
}

inline Moments moments_of(const Gaussian& message) { return {message.mean(), message.variance()}; }
inline Gaussian gaussian(const Moments& of) { return Gaussian::from_moments(of.mean, of.variance); }

// The moments of exp(f), searched around N(centre, variance); `kinks` also names where narrow peaks may be.
inline Moments by_quadrature(const LogDensity& f, const Moments& around,
                             const std::vector<double>& kinks = {}) {
  const Tabulated density(f, gaussian_range(around.mean, around.variance, kinks));
  return {density.mean(), density.variance(), density.log_mass()};
}

// Kinks that let the quadrature find a step, or a peak on top of something else, of this width.
inline std::vector<double> around(double centre, double deviation) {
  std::vector<double> out{centre};
  for (const double k : {1.0, 3.0, 8.0, 20.0, 40.0})
    for (const double sign : {-1.0, 1.0}) out.push_back(centre + sign * k * deviation);
  return out;
}

// The moments of N(incoming) times the exact message.
inline Moments tilted_by_quadrature(const LogDensity& exact, const Moments& incoming,
                                    const std::vector<double>& kinks = {}) {
  return by_quadrature([&](double x) { return log_density(x, incoming) + exact(x); }, incoming,
                       kinks);
}

// E[f(m + s u)], u standard normal, by the trapezoidal rule, which for a smooth f converges faster
// than any power of the step: a second method besides the adaptive one.
inline double trapezoidal(const std::function<double(double)>& f, const Moments& of) {
  constexpr double kStep = 0.125, kReach = 12;
  double sum = 0;
  for (double u = -kReach; u <= kReach; u += kStep)
    sum += kStep * std::exp(log_density(u, 0, 1)) * f(of.mean + std::sqrt(of.variance) * u);
  return sum;
}

// E and Var of g(x), x ~ N(from), and Cov(g, x)/Var(x): the statistical linearisation.
struct Linearisation {
  double mean, variance, slope;
};
inline Linearisation linearise(const std::function<double(double)>& g, const Moments& from,
                               const std::vector<double>& kinks = {}) {
  const Tabulated density([&](double x) { return log_density(x, from); },
                          gaussian_range(from.mean, from.variance, kinks));
  const double mean = density.expect([&](double x) { return g(x); });
  const double variance = density.expect([&](double x) { return std::pow(g(x) - mean, 2); });
  const double covariance =
      density.expect([&](double x) { return (x - from.mean) * (g(x) - mean); });
  return {mean, variance, covariance / from.variance};
}

// How small a mass quadrature is asked for. A log density of this size is rounded to about 1e-13,
// which is what the reference can promise; messages that disagree by more than some thirty
// deviations are left to the tests with fifty digits.
inline constexpr double kDeepestLogMass = -500;

// Compares, remembers the worst error and prints it at the end of the test.
class Agreement {
 public:
  Agreement(std::string what, double tolerance) : what_(std::move(what)), tolerance_(tolerance) {}
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement() {
    std::printf(
        "[  worst   ] %s: mean %.1e variance %.1e log mass %.1e (tolerance %.0e, %d cases)\n",
        what_.c_str(), mean_, variance_, log_, tolerance_, cases_);
    EXPECT_GT(cases_, 0) << what_ << " compared nothing";
  }

  void moments(const Moments& actual, const Moments& expected, const std::string& where) {
    ++cases_;
    const double scale = std::max(std::abs(expected.mean), std::sqrt(expected.variance));
    require(std::abs(actual.mean - expected.mean) / scale, mean_, where, actual, expected);
    require(std::abs(actual.variance / expected.variance - 1), variance_, where, actual, expected);
  }

  void message(const Gaussian& actual, const Moments& expected, const std::string& where) {
    moments(moments_of(actual), expected, where);
  }

  void log_mass(double actual, double expected, const std::string& where) {
    const double error = std::abs(actual - expected) / std::max(1.0, std::abs(expected));
    require(actual == expected ? 0 : error, log_, where + ", log mass", {actual, 0}, {expected, 0});
  }

  int cases() const { return cases_; }

 private:
  void require(double error, double& worst, const std::string& where, const Moments& actual,
               const Moments& expected) {
    worst = std::max(worst, std::isnan(error) ? kInfinity : error);
    if (error <= tolerance_) return;
    ADD_FAILURE() << what_ << ", " << where << ": error " << error << " > " << tolerance_
                  << "\n  is       " << actual.mean << ", " << actual.variance << "\n  expected "
                  << expected.mean << ", " << expected.variance;
  }

  std::string what_;
  double tolerance_;
  double mean_ = 0, variance_ = 0, log_ = 0;
  int cases_ = 0;
};

// A claim of tilted moments: the belief, incoming times message, and the mass it stands for.
inline void expect_tilted(Agreement& agreement, const graph::Reply& reply, const Moments& incoming,
                          const Moments& expected, const std::string& where) {
  agreement.message(gaussian(incoming) * reply.message, expected, where);
  ASSERT_TRUE(reply.log_scale.has_value());
  const double overlap = reply.message.is_uniform()
                             ? 0
                             : log_density(incoming.mean, reply.message.mean(),
                                           incoming.variance + reply.message.variance());
  agreement.log_mass(*reply.log_scale + overlap, expected.log_mass, where);
}

// A guard may step in only where the tilted message would be improper, up to rounding; and what it
// sends is the statistically linearised factor.
inline void expect_linearised(Agreement& agreement, const graph::Reply& reply,
                              const Moments& incoming, const Moments& back, const Linearisation& at,
                              const Moments& tilted, const std::string& where) {
  EXPECT_GE(tilted.variance, incoming.variance * (1 - kExact)) << where << ": guard without reason";
  const double noise = std::max(0.0, at.variance - at.slope * at.slope * incoming.variance);
  const double d = back.variance + noise;
  const double offset = at.mean - at.slope * incoming.mean;
  agreement.message(reply.message, {(back.mean - offset) / at.slope, d / (at.slope * at.slope)},
                    where + " (linearised)");
  agreement.log_mass(reply.log_scale.value(), -std::log(std::abs(at.slope)), where);
}

// What any reply must be, whatever came in.
inline void expect_valid(const graph::Reply& reply, const std::string& where) {
  const Gaussian& message = reply.message;
  EXPECT_TRUE(std::isfinite(message.tau())) << where << ": tau " << message.tau();
  EXPECT_TRUE(message.rho() >= 0) << where << ": rho " << message.rho();
  EXPECT_TRUE(!message.is_uniform() || message.tau() == 0) << where << ": tau " << message.tau();
  EXPECT_LT(static_cast<std::size_t>(reply.event), graph::kEventCount) << where;
  EXPECT_FALSE(std::isnan(reply.log_scale.value_or(0))) << where << ": log scale";
}

inline std::string text(const std::vector<Gaussian>& messages) {
  std::ostringstream out;
  out.precision(17);
  for (const Gaussian& m : messages) {
    if (m.is_proper())
      out << "N(" << m.mean() << ", " << m.variance() << ") ";
    else
      out << m << ' ';
  }
  return out.str();
}

}  // namespace postrider::reference
