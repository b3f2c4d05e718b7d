// The functions of src/math from their definitions, in a hundred decimal digits: enough to subtract
// freely. L1 and L2 at the farthest argument, 1e18, lose 72 digits and keep 28.
#pragma once

#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <map>

namespace postrider::reference {

using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                          boost::multiprecision::et_off>;

inline Big exponential(double x) { return exp(Big(x)); }
inline Big exp_minus_one(double x) { return boost::math::expm1(Big(x)); }
inline Big logarithm(double x) { return log(Big(x)); }
inline Big log_one_plus(double x) { return boost::math::log1p(Big(x)); }

inline const Big& two_pi() {
  static const Big value = 8 * atan(Big(1));
  return value;
}

inline Big density_at(const Big& x) { return exp(-x * x / 2) / sqrt(two_pi()); }

// Phi(-x)/phi(x) for x >= 0. Near zero the series
//   R(x) = sqrt(pi/2) exp(x^2/2) - sum_n x^(2n+1)/(1 3 5 ... (2n+1)),
// which loses x^2/2 nats; elsewhere Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/...))).
inline Big mills_at(const Big& x) {
  constexpr double kSeriesBelow = 8;  // loses 14 of the digits
  if (x < kSeriesBelow) {
    Big term = x, sum = x;
    for (int n = 1; term > sum * std::numeric_limits<Big>::epsilon(); ++n) {
      term *= x * x / (2 * n + 1);
      sum += term;
    }
    return sqrt(two_pi()) / 2 * exp(x * x / 2) - sum;
  }
  // After n terms the error is about exp(-2 x sqrt(2 n)), and 100 digits are 230 nats.
  const double distance = static_cast<double>(x);
  const int terms = 30 + static_cast<int>(10'000 / (distance * distance));
  Big denominator = x;
  for (int n = terms; n > 0; --n) denominator = x + n / denominator;
  return 1 / denominator;
}

// phi(x) and R(|x|): all that the normal functions need, computed once for every argument.
struct Basis {
  Big density, mills;
};
inline const Basis& basis(double x) {
  static std::map<double, Basis> known;
  const auto [at, is_new] = known.try_emplace(std::abs(x));
  if (is_new) at->second = {density_at(Big(std::abs(x))), mills_at(Big(std::abs(x)))};
  return at->second;
}

inline Big normal_density(double x) { return basis(x).density; }
inline Big mills_ratio(double x) { return basis(x).mills; }
inline Big mills_first(double x) { return 1 - x * mills_ratio(x); }
inline Big mills_second(double x) { return (1 + Big(x) * x) * mills_ratio(x) - x; }

inline Big normal_cdf(double u) {
  const Big tail = normal_density(u) * mills_ratio(u);
  return u > 0 ? Big(1 - tail) : tail;
}
// The logarithm of the density is not taken from the density, which underflows.
inline Big log_normal_density(double u) { return -Big(u) * u / 2 - log(two_pi()) / 2; }
inline Big log_normal_cdf(double u) {
  if (u > 0) return boost::math::log1p(Big(-normal_density(u) * mills_ratio(u)));
  return log(mills_ratio(u)) + log_normal_density(u);
}
// Phi/phi without the factor exp(u^2/2) that it has for u > 0.
inline Big scaled_mass(double u) {
  return u > 0 ? Big(normal_cdf(u) * sqrt(two_pi())) : mills_ratio(u);
}
inline Big hazard(double u) {
  return u > 0 ? Big(normal_density(u) / normal_cdf(u)) : Big(1 / mills_ratio(u));
}

// Moments of N(u, 1) on the positive half line, and what max(X, 0) has of them.
inline Big half_line_first(double u) { return u * normal_cdf(u) + normal_density(u); }
inline Big half_line_second(double u) {
  return (1 + Big(u) * u) * normal_cdf(u) + u * normal_density(u);
}
inline Big rectified_spill(double u) { return normal_density(u) * mills_first(std::abs(u)); }
inline Big rectified_variance(double u) {
  const Big first = half_line_first(u);
  return half_line_second(u) - first * first;
}

// N(u, 1) cut to the positive half line.
inline Big truncated_v(double u) { return hazard(u); }
inline Big truncated_w(double u) { return hazard(u) * (hazard(u) + u); }
inline Big truncated_mean(double u) { return hazard(u) + u; }
inline Big truncated_variance(double u) { return 1 - truncated_w(u); }
inline Big truncated_lift(double u) { return hazard(u) + u * truncated_w(u); }

}  // namespace postrider::reference
