// Density:    f(y, x) = delta(y - g(x)) for a function g of the user's
// Messages:   to y: the mean and variance of g(x) under the forward message, by quadrature.
//             to x: conditioned: the mean and variance of N(x; m, s2) N(g(x); b, v), by quadrature, as a
//                   message by the projection rule of site_factor.h. Where x is known, or y and no
//                   quadrature meets it, the statistically linearised factor, counted.
// Domain:     g finite where the forward message has mass. The exact message to x is improper for a
//             bounded g, so there is no direct rule.
// Limits:     [limit: affine] g(x) = a x + b: both directions are exact.
//             [limit: known_input] x known: y = g(x).
//             [limit: known_output] y known: x is the root of g(x) = y, if there is one.
//             [limit: flat] g constant: x hears nothing.
// Reference:  beyond the paper; its construction recipe, with quadrature for the moments.
#include <fmt/format.h>

#include <cmath>

#include "factor/linearised-inl.h"
#include "factor/scalar.h"
#include "factor/site_factor.h"
#include "factor/words.h"
#include "math/quadrature.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;
namespace {

namespace lanes = HWY_NAMESPACE;

constexpr double kSharp = 1e-7;     // of a known output, in deviations of g(x)
constexpr double kOnePoint = 1e-8;  // of the input's variance: less is one point
constexpr int kSecantSteps = 6;

class Deterministic final : public Factor {
 public:
  enum Edge : std::size_t { y, x };

  Deterministic(std::string name, std::function<double(double)> g, std::vector<double> kinks)
      : g_(std::move(g)),
        info_{std::move(name),
              "y = g(x)",
              FactorKind::deterministic,
              {{"y", {{Rule::direct, Claim::moments, true}}, false},
               {"x", {{Rule::conditioned, Claim::tilted_moments, true}}, true, std::move(kinks)}}} {
    if (!g_) throw InvalidArgument("deterministic.g: empty; must be a function of one number");
  }

  const FactorInfo& info() const override { return info_; }

  double evaluate(std::span<const double> values) const override { return g_(values[0]); }

  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override {
    info_.find(edge, rule);
    expect_one_per_edge(info_, incoming);
    const Gaussian& front = incoming[x];
    if (edge == y) return to_output(front);
    const Gaussian& back = incoming[y];
    if (back.is_uniform()) return {Gaussian::uniform(), 0.0};
    if (front.is_uniform()) return {Gaussian::uniform(), 0.0, Event::vanished};
    if (front.is_point_mass()) return linearised(front, back);
    if (back.is_point_mass()) return known_output(front, back);
    return tilted(front, back);
  }

 private:
  // E[g], Var[g] and Cov[g, x]/Var[x] under the forward message.
  struct Linearisation {
    double mean, variance, slope;
  };

  Linearisation linearise(const Gaussian& front) const {
    const double m = front.mean(), s = front.std();
    if (front.is_point_mass()) {
      // The derivative at the point, by a central difference of the best step for doubles.
      const double step = 6e-6 * std::max(1.0, std::abs(m));
      return {g_(m), 0, (g_(m + step) - g_(m - step)) / (2 * step)};
    }
    const Tabulated density([&](double t) { return front.log_density(t); },
                            gaussian_range(m, s * s, info_.edges[x].kinks));
    const double mean = density.expect([&](double t) { return g_(t); });
    const double variance =
        density.expect([&](double t) { return (g_(t) - mean) * (g_(t) - mean); });
    const double covariance = density.expect([&](double t) { return (t - m) * (g_(t) - mean); });
    return {mean, variance, covariance / (s * s)};
  }

  Reply to_output(const Gaussian& front) const {
    if (front.is_uniform()) return {Gaussian::uniform(), 0.0, Event::vanished};
    const Linearisation out = linearise(front);
    if (!std::isfinite(out.mean) || !std::isfinite(out.variance))
      return {Gaussian::uniform(), 0.0, Event::overflowed};
    return {Gaussian::from_moments(out.mean, out.variance), 0.0};
  }

  Reply linearised(const Gaussian& front, const Gaussian& back) const {
    const Linearisation at = linearise(front);
    const lanes::Sent<double> out = lanes::linearised_guard(
        at.slope, moments_of(front), {at.mean, at.variance}, moments_of(back));
    return {gaussian_of(out.message), out.log_scale, Event::linearised};
  }

  // The limit of a sharp message from y: a spike of the density where g(x) = y. One spike is a point
  // mass; several are two moments, like any other tilted message.
  Reply known_output(const Gaussian& front, const Gaussian& back) const {
    const double width = kSharp * std::sqrt(linearise(front).variance);
    if (!(width > 0)) return linearised(front, back);
    const Gaussian sharp = Gaussian::from_moments(back.mean(), width * width);
    const Tabulated density = tilted_density(front, sharp);
    if (!std::isfinite(density.log_mass()) || !(density.variance() > 0))
      return linearised(front, back);
    if (density.variance() > kOnePoint * front.variance()) return tilted(front, sharp);
    const double root = polished(density.peak(), back.mean(), std::sqrt(density.variance()));
    return {Gaussian::point_mass(root), density.log_mass() - front.log_density(root)};
  }

  // g(x) = y near a good guess: a few secant steps.
  double polished(double guess, double output, double step) const {
    double a = guess - step, b = guess + step;
    for (int i = 0; i < kSecantSteps && g_(a) != g_(b); ++i) {
      const double next = b - (g_(b) - output) * (b - a) / (g_(b) - g_(a));
      a = b;
      b = next;
    }
    return std::isfinite(b) ? b : guess;
  }

  Tabulated tilted_density(const Gaussian& front, const Gaussian& back) const {
    return {[&](double t) { return front.log_density(t) + back.log_density(g_(t)); },
            gaussian_range(front.mean(), front.variance(), info_.edges[x].kinks)};
  }

  Reply tilted(const Gaussian& front, const Gaussian& back) const {
    const Tabulated density = tilted_density(front, back);
    if (!std::isfinite(density.log_mass()) || !(density.variance() > 0))
      return linearised(front, back);
    return tilted_reply(front, density.mean(), density.variance(), density.log_mass());
  }

  std::function<double(double)> g_;
  FactorInfo info_;
};

}  // namespace

std::unique_ptr<Factor> make_deterministic(std::string name, std::function<double(double)> g,
                                           std::vector<double> kinks) {
  return std::make_unique<Deterministic>(std::move(name), std::move(g), std::move(kinks));
}

}  // namespace postrider::graph
