#include "audit/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "certify/exact_message.h"
#include "certify/exact_product.h"

namespace postrider::internal {
namespace {

constexpr double kConcentrated = 2;  // deviations from zero: the paper's r >= 2

bool is_product(const Factor& factor) { return factor.info().name == "product"; }

// KL of the exact message and of the exact marginal. `log_z` is the mass of the normalised exact
// message times the one coming in.
Comparison instance(double message_kl, double marginal_kl, double log_z, const Gaussian& own) {
  Comparison out;
  out.message_kl = message_kl;
  out.marginal_kl = marginal_kl;
  if (!own.is_proper()) {
    out.outside = Outside::nothing_came_in;
  } else if (!std::isfinite(message_kl)) {
    out.message_kl.reset();
    out.outside = Outside::infinite_kl;
  } else {
    out.bound = std::exp(own.log_density(own.mean()) - log_z) * message_kl;
  }
  return out;
}

Comparison compare_product_output(const Factor& factor, const SentMessage& message) {
  const Gaussian& own = message.incoming[0];
  const ExactProduct exact(factor, message.incoming);
  const double message_kl = exact.output_divergence(Gaussian::uniform(), message.sent).kl;
  if (!own.is_proper()) return instance(message_kl, message_kl, 0, own);
  const ExactProduct::Divergence marginal = exact.output_divergence(own, message.sent * own);
  return instance(message_kl, marginal.kl, marginal.log_mass, own);
}

// The exact message falls off like 1/|x|: only the marginal has a finite mass.
Comparison compare_product_input(const Factor& factor, std::size_t edge,
                                 const SentMessage& message) {
  const Gaussian& own = message.incoming[edge];
  Comparison out;
  out.outside = Outside::infinite_mass;
  const auto certainty = [](const Gaussian& g) { return std::abs(g.mean()) / g.std(); };
  out.concentrated = certainty(message.incoming[0]) >= kConcentrated &&
                     certainty(message.incoming[edge == 1 ? 2 : 1]) >= kConcentrated;
  out.marginal_kl = kl_divergence(ExactProduct(factor, message.incoming).input_marginal(edge),
                                  message.sent * own);
  return out;
}

// The slope of a relation that is straight between its kinks.
double slope_at(const Factor& factor, double x) {
  double step = 1;
  for (const double kink : factor.info().edges[1].kinks)
    step = std::min(step, 0.5 * std::abs(x - kink));
  const std::array<double, 1> left{x - step}, right{x + step};
  return step > 0 ? (factor.evaluate(right) - factor.evaluate(left)) / (2 * step) : 0;
}

// The output y = g(x) has the density of x over the slope; both integrals run over x.
Comparison compare_relation_output(const Factor& factor, const SentMessage& message) {
  const Gaussian& own = message.incoming[0];
  const Gaussian& input = message.incoming[1];
  const auto g = [&](double x) { return factor.evaluate(std::array<double, 1>{x}); };
  if (slope_at(factor, -1) == 0 || slope_at(factor, 1) == 0) {
    // All of one side falls on a single point, where no Gaussian has mass.
    Comparison out;
    out.outside = Outside::infinite_kl;
    return out;
  }
  const std::vector<double> range =
      gaussian_range(input.mean(), input.variance(), factor.info().edges[1].kinks, Reach::near);
  const auto divergence = [&](const Tabulated& p, const Gaussian& q) {
    return p.expect([&](double x, double log_p) {
      return log_p - std::log(slope_at(factor, x)) - q.log_density(g(x));
    });
  };
  const Tabulated density([&](double x) { return input.log_density(x); }, range);
  const double message_kl = divergence(density, message.sent);
  if (!own.is_proper()) return instance(message_kl, message_kl, 0, own);
  const Tabulated marginal([&](double x) { return input.log_density(x) + own.log_density(g(x)); },
                           range);
  return instance(message_kl, divergence(marginal, message.sent * own), marginal.log_mass(), own);
}

Comparison compare_relation_input(const Factor& factor, const SentMessage& message) {
  const Gaussian& own = message.incoming[1];
  const ExactMessage exact(factor, 1, message.incoming);
  const Tabulated marginal = exact.marginal();
  const double marginal_kl = kl_divergence(marginal, message.sent * own);
  Comparison out;
  out.marginal_kl = marginal_kl;
  if (factor.info().edges[1].exact_may_be_improper) {
    out.outside = Outside::infinite_mass;
    return out;
  }
  // Looked for where it is: its own moments, which the direct rule sends.
  const Tabulated density = exact.density(factor.send(1, Rule::direct, message.incoming).message);
  const double message_kl = message.sent.is_proper() ? kl_divergence(density, message.sent)
                                                     : std::numeric_limits<double>::infinity();
  return instance(message_kl, marginal_kl, marginal.log_mass() - density.log_mass(), own);
}

// Nothing came back along the output: the message to an input is as uninformed, and right.
Comparison nothing_to_say() {
  Comparison out;
  out.outside = Outside::infinite_mass;
  out.marginal_kl = 0;
  return out;
}

}  // namespace

bool is_exact(const Factor& factor, std::size_t edge, const SentMessage& message) {
  if (factor.info().edges[edge].rules.front().claim == Claim::exact) return true;
  const std::vector<Gaussian>& heard = message.incoming;
  if (!is_product(factor)) return heard[1].is_point_mass();
  const bool known = edge != 1 && heard[1].is_point_mass();
  return known || (edge != 2 && heard[2].is_point_mass());
}

Comparison compare_with_exact(const Factor& factor, std::size_t edge, const SentMessage& message) {
  if (edge != 0 && !message.incoming[0].is_proper()) {
    check(message.incoming[0].is_uniform(), "an output that is not known for certain");
    return nothing_to_say();
  }
  if (is_product(factor))
    return edge == 0 ? compare_product_output(factor, message)
                     : compare_product_input(factor, edge, message);
  check(factor.info().edges.size() == 2, "a product, or a relation of one variable");
  return edge == 0 ? compare_relation_output(factor, message)
                   : compare_relation_input(factor, message);
}

}  // namespace postrider::internal
