// A factor of one's own, y = x^3: forward in closed form, backward by quadrature. Certify it with
//
//   build/release/src/cli/postrider factor certify --load build/release/examples/libcubic_factor.so
#include <memory>

#include "postrider/graph.h"

using postrider::Gaussian;

class Cubic final : public postrider::graph::Factor {
 public:
  const postrider::graph::FactorInfo& info() const override { return by_quadrature_->info(); }
  double evaluate(std::span<const double> x) const override { return x[0] * x[0] * x[0]; }

  postrider::graph::Reply send(std::size_t edge, postrider::graph::Rule rule,
                               std::span<const Gaussian> in) const override {
    const double m = in[1].mean(), v = in[1].variance();
    if (edge == 1 || in[1].is_uniform()) return by_quadrature_->send(edge, rule, in);
    const double variance = 9 * m * m * m * m * v + 36 * m * m * v * v + 15 * v * v * v;
    return {Gaussian::from_moments(m * m * m + 3 * m * v, variance), 0.0};
  }

 private:
  std::unique_ptr<Factor> by_quadrature_ =
      postrider::graph::make_deterministic("cubic", [](double x) { return x * x * x; });
};

extern "C" postrider::graph::Factor* postrider_factor() { return new Cubic; }
