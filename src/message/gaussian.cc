#include "postrider/gaussian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "message/message-inl.h"
#include "message/rounding.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

namespace lanes = HWY_NAMESPACE;
using Natural = lanes::Message<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Natural natural(const Gaussian& g) { return {g.tau(), g.rho()}; }

}  // namespace

Gaussian Gaussian::point_mass(double value) {
  if (!std::isfinite(value)) reject("value", value, "must be finite");
  return {value, kInfinity};
}

Gaussian Gaussian::from_moments(double mean, double variance) {
  if (!(variance >= 0)) reject("variance", variance, "must be at least 0");
  if (!std::isfinite(mean)) reject("mean", mean, "must be finite");
  const Natural message = lanes::message_of(lanes::Moments<double>{mean, variance});
  return {message.tau, message.rho};
}

Gaussian Gaussian::from_natural(double tau, double rho) {
  if (!std::isfinite(tau)) reject("tau", tau, "must be finite");
  if (!std::isfinite(rho)) reject("rho", rho, "must be finite; a point mass is made by point_mass");
  if (rho == 0 && tau != 0) reject("tau", tau, "must be 0 where rho is 0");
  if (rho == 0) return uniform();  // also for -0
  return {tau, rho};
}

double Gaussian::mean() const { return lanes::moments_of(natural(*this)).mean; }
double Gaussian::variance() const { return lanes::moments_of(natural(*this)).variance; }
double Gaussian::std() const { return std::sqrt(variance()); }

double Gaussian::log_density(double x) const {
  if (is_uniform()) return 0;
  const lanes::Moments<double> moments = lanes::moments_of(natural(*this));
  return lanes::log_gaussian(x, moments.mean, moments.variance);
}

Gaussian operator*(const Gaussian& a, const Gaussian& b) {
  if (a.is_point_mass() && b.is_point_mass() && a.tau() != b.tau())
    throw InvalidArgument(fmt::format(
        "product of two messages: point masses at {} and {} contradict each other; one of the two "
        "observations must go, or be given a variance",
        a.tau(), b.tau()));
  const Natural message = lanes::product(natural(a), natural(b));
  // A precision beyond the largest number: the product is a point mass at its mean.
  if (message.rho == kInfinity && !a.is_point_mass() && !b.is_point_mass())
    return Gaussian::point_mass((a.tau() / 2 + b.tau() / 2) / (a.rho() / 2 + b.rho() / 2));
  return {message.tau, message.rho};
}

Gaussian operator/(const Gaussian& a, const Gaussian& b) {
  if (b.is_point_mass())
    throw InvalidArgument(fmt::format(
        "quotient of two messages: the divisor is a point mass at {}; what it was multiplied into "
        "cannot be recovered",
        b.tau()));
  const Natural message = lanes::quotient(natural(a), natural(b));
  const Gaussian out{message.tau, message.rho};
  return is_rounding(out, b) ? Gaussian::uniform() : out;
}

Gaussian Gaussian::power(double exponent) const {
  if (!std::isfinite(exponent)) reject("exponent", exponent, "must be finite");
  if (exponent == 0 || is_uniform()) return uniform();
  if (is_point_mass()) return *this;
  const double rho = rho_ * exponent;
  if (rho == 0) return uniform();
  return rho == kInfinity ? point_mass(tau_ / rho_) : Gaussian{tau_ * exponent, rho};
}

double log_overlap(const Gaussian& a, const Gaussian& b) {
  return lanes::log_overlap(natural(a), natural(b));
}

double kl_divergence(const Gaussian& p, const Gaussian& q) {
  using State = Gaussian::State;
  if (p.state() == State::improper || q.state() == State::improper)
    return std::numeric_limits<double>::quiet_NaN();
  if (p.state() != State::proper || q.state() != State::proper) return p == q ? 0 : kInfinity;
  // KL = (ratio - 1 - log ratio)/2 + (gap of means)^2 rho_q/2 with ratio = rho_q/rho_p.
  const double excess = (q.rho() - p.rho()) / p.rho();
  // Far below 1, ratio - 1 forgets the ratio: its logarithm is then taken as a difference.
  constexpr double kSmallRatio = 0.5;
  const double log_ratio =
      1 + excess < kSmallRatio ? std::log(q.rho()) - std::log(p.rho()) : std::log1p(excess);
  const double gap = p.mean() - q.mean();
  return 0.5 * (excess - log_ratio) + 0.5 * gap * gap * q.rho();
}

bool equal_within(const Gaussian& a, const Gaussian& b, Tolerance tolerance) {
  if (a.state() != b.state()) return false;
  if (a.is_uniform()) return true;
  const double scale = std::max(std::abs(a.mean()), std::abs(a.std()));
  const bool means = std::abs(a.mean() - b.mean()) <= tolerance.relative * scale;
  return means && (a.is_point_mass() ||
                   std::abs(a.rho() - b.rho()) <= tolerance.relative * std::abs(a.rho()));
}

std::string to_string(const Gaussian& message) {
  switch (message.state()) {
    case Gaussian::State::uniform:
      return "uniform";
    case Gaussian::State::point_mass:
      return fmt::format("point mass at {:.6g}", message.mean());
    case Gaussian::State::improper:
      return fmt::format("improper (tau {:.6g}, rho {:.6g})", message.tau(), message.rho());
    case Gaussian::State::proper:
      break;
  }
  return fmt::format("N({:.6g}, {:.6g})", message.mean(), message.variance());
}

std::ostream& operator<<(std::ostream& out, const Gaussian& message) {
  return out << to_string(message);
}

}  // namespace postrider
