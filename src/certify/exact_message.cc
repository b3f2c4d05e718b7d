#include "certify/exact_message.h"

#include <cmath>
#include <functional>
#include <limits>

#include "base/check.h"

namespace postrider::internal {
namespace {

constexpr int kInnerScan = 24;  // inner integrals run thousands of times, over smooth functions

bool is_deterministic(const Factor& factor) {
  return factor.info().kind == FactorKind::deterministic;
}

constexpr double kNotHeld = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ExactMessage::ExactMessage(const Factor& factor, std::size_t edge, std::vector<Gaussian> incoming)
    : factor_(factor), edge_(edge), incoming_(std::move(incoming)) {
  check(!(is_deterministic(factor) && edge == 0), "an edge whose message has a density");
  // A Dirac delta at the output leaves nothing to integrate there.
  for (std::size_t k = is_deterministic(factor) ? 1 : 0; k < incoming_.size(); ++k)
    if (k != edge) others_.push_back(k);
}

double ExactMessage::log_factor(const std::vector<double>& values) const {
  if (!is_deterministic(factor_)) return factor_.evaluate(values);
  return incoming_[0].log_density(factor_.evaluate(std::span(values).subspan(1)));
}

std::vector<double> ExactMessage::range(std::size_t edge, const Gaussian& around,
                                        const std::vector<double>& values, Reach reach) const {
  return gaussian_range(around.mean(), around.variance(), factor_.kinks(edge, values), reach);
}

double ExactMessage::log_integral(std::size_t open, std::vector<double>& values) const {
  if (open == others_.size()) return log_factor(values);
  const std::size_t k = others_[open];
  const auto integrand = [&](double t) {
    values[k] = t;
    return incoming_[k].log_density(t) + log_integral(open + 1, values);
  };
  const std::vector<double> ends = range(k, incoming_[k], values, Reach::near);
  const double result = Tabulated(integrand, ends, kInnerScan).log_mass();
  values[k] = kNotHeld;
  return result;
}

double ExactMessage::log_value(double x) const {
  std::vector<double> values(incoming_.size(), kNotHeld);
  values[edge_] = x;
  return log_integral(0, values);
}

Tabulated ExactMessage::density(const Gaussian& near) const {
  const std::vector<double> open(incoming_.size(), kNotHeld);
  // A message may have a thin tail far outside of its bulk, as that of a leaky ReLU of small slope.
  return {[this](double x) { return log_value(x); }, range(edge_, near, open, Reach::far)};
}

Tabulated ExactMessage::marginal() const {
  const Gaussian& own = incoming_[edge_];
  const std::vector<double> open(incoming_.size(), kNotHeld);
  return {[this, &own](double x) { return own.log_density(x) + log_value(x); },
          range(edge_, own, open, Reach::near)};
}

OutputMoments output_moments(const Factor& factor, const std::vector<Gaussian>& incoming) {
  std::vector<double> values(incoming.size(), kNotHeld);
  using Function = std::function<double(double)>;
  const std::function<double(std::size_t, const Function&)> expect = [&](std::size_t k,
                                                                         const Function& f) {
    if (k == incoming.size()) return f(factor.evaluate(std::span(values).subspan(1)));
    const Gaussian& message = incoming[k];
    const Tabulated density(
        [&](double t) { return message.log_density(t); },
        gaussian_range(message.mean(), message.variance(), factor.kinks(k, values), Reach::near),
        kInnerScan);
    const double result = density.expect([&](double t) {
      values[k] = t;
      return expect(k + 1, f);
    });
    values[k] = kNotHeld;
    return result;
  };
  const double mean = expect(1, [](double y) { return y; });
  return {mean, expect(1, [&](double y) { return (y - mean) * (y - mean); })};
}

double kl_divergence(const Tabulated& p, const Gaussian& q) {
  return p.expect([&](double x, double log_p) { return log_p - q.log_density(x); });
}

MasterInstance master_instance(const Tabulated& exact_message, const Tabulated& exact_marginal,
                               const Gaussian& incoming, const Gaussian& sent) {
  const double delta = kl_divergence(exact_message, sent);
  const double log_z = exact_marginal.log_mass() - exact_message.log_mass();
  const double log_top = incoming.log_density(incoming.mean());
  return {delta, kl_divergence(exact_marginal, sent * incoming), std::exp(log_top - log_z) * delta};
}

std::optional<double> power_law_exponent(std::span<const double> x, std::span<const double> y) {
  check(x.size() == y.size(), "pairs");
  if (x.size() < 3) return {};
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / static_cast<double>(x.size());
    mean_y += std::log(y[i]) / static_cast<double>(x.size());
  }
  double cross = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double gap = std::log(x[i]) - mean_x;
    cross += gap * (std::log(y[i]) - mean_y);
    squares += gap * gap;
  }
  return cross / squares;
}

}  // namespace postrider::internal
