// Density:    f(y, x_1, ..., x_k) = delta(y - g(x_1, ..., x_k)), k = 2 or 3, for a function g of the user's
// Messages:   to y: the mean and variance of g under the inputs' messages N(m_i, s_i^2), by the trapezoid rule: m_i + s_i t on a lattice
//             of t, where it converges exponentially.
//             to x_i: conditioned: the moments of all inputs' messages times N(g; b, v), by quadrature (density_site.h) over the inputs
//             that are not known, as a message by the projection rule of site_factor.h. Where v is so small against Var[g] that
//             the belief is a ridge between the nodes, the statistically linearised factor, counted.
// Domain:     g finite and smooth where the inputs' messages have mass.
// Limits:     [limit: affine] g(x) = a'x + b: both directions are exact.
//             [limit: known_inputs] all other inputs known: the factor of one input.
// Reference:  beyond the paper; its construction recipe, with quadrature for the moments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "factor/density_site.h"
#include "factor/linearised-inl.h"
#include "factor/scalar.h"
#include "factor/site_factor.h"
#include "factor/words.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;
namespace {

namespace lanes = HWY_NAMESPACE;

// The lattice of t: 9 standard deviations to either side.
constexpr int kSteps = 24;
constexpr double kStep = 0.375;
// Narrower in y than this share of the standard deviation of g, the belief of the inputs is a ridge.
constexpr double kRidge = 0.05;

// The moments of g, and its covariance with one input over that input's variance.
struct GMoments {
  double mean = 0, variance = 0, slope = 0;
};

class DeterministicOfSeveral final : public Factor {
 public:
  DeterministicOfSeveral(FactorInfo info, std::function<double(std::span<const double>)> g)
      : info_(std::move(info)), g_(std::move(g)) {}

  const FactorInfo& info() const override { return info_; }
  double evaluate(std::span<const double> values) const override { return g_(values); }

  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override {
    info_.find(edge, rule);
    expect_one_per_edge(info_, incoming);
    const auto inputs = incoming.subspan(1);
    if (edge > 0 && incoming[0].is_uniform()) return {Gaussian::uniform(), 0.0};
    if (std::ranges::any_of(inputs, &Gaussian::is_uniform))
      return {Gaussian::uniform(), 0.0, Event::vanished};
    const GMoments g = moments(inputs, edge == 0 ? 0 : edge - 1);
    if (!std::isfinite(g.mean) || !std::isfinite(g.variance) || !std::isfinite(g.slope))
      return {Gaussian::uniform(), 0.0, Event::overflowed};
    if (edge == 0) return {Gaussian::from_moments(g.mean, g.variance), 0.0};
    const bool is_ridge = incoming[0].variance() < kRidge * kRidge * g.variance;
    if (is_ridge || incoming[edge].is_point_mass()) return linearised(g, incoming, edge);
    return tilted(incoming, edge);
  }

 private:
  // Calls f(x, weight) with the points of the lattice and their shares; inputs that are known have one.
  template <class F>
  void for_each_point(std::span<const Gaussian> inputs, F&& f) const {
    std::vector<double> x(inputs.size());
    std::vector<int> at(inputs.size());
    const auto steps = [&](std::size_t i) { return inputs[i].is_point_mass() ? 0 : kSteps; };
    for (std::size_t i = 0; i < inputs.size(); ++i) at[i] = -steps(i);
    for (;;) {
      double log_weight = 0;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double t = kStep * at[i];
        x[i] =
            inputs[i].is_point_mass() ? inputs[i].mean() : inputs[i].mean() + inputs[i].std() * t;
        log_weight -= 0.5 * t * t;
      }
      f(std::span<const double>(x), std::exp(log_weight));
      std::size_t i = 0;
      while (i < at.size() && at[i] == steps(i)) at[i] = -steps(i), ++i;
      if (i == at.size()) return;
      ++at[i];
    }
  }

  GMoments moments(std::span<const Gaussian> inputs, std::size_t input) const {
    double mass = 0, sum = 0;
    for_each_point(inputs, [&](std::span<const double> x, double weight) {
      mass += weight;
      sum += weight * g_(x);
    });
    GMoments out;
    out.mean = sum / mass;
    double second = 0, cross = 0;
    for_each_point(inputs, [&](std::span<const double> x, double weight) {
      const double gap = g_(x) - out.mean;
      second += weight * gap * gap;
      cross += weight * gap * (x[input] - inputs[input].mean());
    });
    out.variance = second / mass;
    out.slope = inputs[input].is_point_mass() ? slope_at(inputs, input)
                                              : cross / mass / inputs[input].variance();
    return out;
  }

  // The mean derivative in an input that is known, by a central difference of the best step for doubles.
  double slope_at(std::span<const Gaussian> inputs, std::size_t input) const {
    const double step = 6e-6 * std::max(1.0, std::abs(inputs[input].mean()));
    double mass = 0, sum = 0;
    for_each_point(inputs, [&](std::span<const double> x, double weight) {
      std::vector<double> above(x.begin(), x.end()), below = above;
      above[input] += step, below[input] -= step;
      mass += weight;
      sum += weight * (g_(above) - g_(below)) / (2 * step);
    });
    return sum / mass;
  }

  Reply linearised(const GMoments& g, std::span<const Gaussian> incoming, std::size_t edge) const {
    const lanes::Sent<double> out = lanes::linearised_guard(
        g.slope, moments_of(incoming[edge]), {g.mean, g.variance}, moments_of(incoming[0]));
    return {gaussian_of(out.message), out.log_scale, Event::linearised};
  }

  Reply tilted(std::span<const Gaussian> incoming, std::size_t edge) const {
    std::vector<std::size_t> places;
    std::vector<Gaussian> free;
    for (std::size_t e = 1; e < incoming.size(); ++e)
      if (!incoming[e].is_point_mass()) places.push_back(e - 1), free.push_back(incoming[e]);
    const auto site = density_site(
        [&](std::span<const std::uint32_t>, std::size_t, std::span<const double> z,
            std::span<double> out) {
          std::vector<double> x;
          for (const Gaussian& in : incoming.subspan(1)) x.push_back(in.mean());
          for (std::size_t k = 0; k < out.size(); ++k) {
            for (std::size_t p = 0; p < places.size(); ++p) x[places[p]] = z[k * places.size() + p];
            out[k] = incoming[0].log_density(g_(x));
          }
        },
        places.size(), 0, Nodes::fine);
    Reply out;
    double log_scale = 0;
    const std::uint32_t row = 0;
    const auto place =
        static_cast<std::size_t>(std::ranges::find(places, edge - 1) - places.begin());
    send_tilted(*site, {&row, 1}, place, free,
                {{&out.message, 1}, {&out.event, 1}, {&log_scale, 1}});
    out.log_scale = log_scale;
    return out;
  }

  FactorInfo info_;
  std::function<double(std::span<const double>)> g_;
};

}  // namespace

std::unique_ptr<Factor> make_deterministic(std::string name,
                                           std::function<double(std::span<const double>)> g,
                                           std::vector<std::string> inputs) {
  if (!g) throw InvalidArgument("deterministic.g: empty; must be a function of numbers");
  if (inputs.size() < 2 || inputs.size() > kSmall)
    reject("deterministic.inputs", inputs.size(), "must be two or three");
  if (std::set<std::string>(inputs.begin(), inputs.end()).size() != inputs.size() ||
      std::ranges::find(inputs, "y") != inputs.end())
    reject("deterministic.inputs", fmt::format("{}", fmt::join(inputs, ", ")),
           "must be distinct, and none y");
  FactorInfo info{std::move(name),
                  fmt::format("y = g({})", fmt::join(inputs, ", ")),
                  FactorKind::deterministic,
                  {{"y", {{Rule::direct, Claim::moments, true}}, false}}};
  for (std::string& input : inputs) info.edges.push_back(tilted_edge(std::move(input)));
  return std::make_unique<DeterministicOfSeveral>(std::move(info), std::move(g));
}

}  // namespace postrider::graph
