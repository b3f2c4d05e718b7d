// The exact sum-product message of any factor, by quadrature over its density.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "factor/words.h"
#include "math/quadrature.h"

namespace postrider::internal {

// The message to `edge` as a function, not normalised. All incoming messages must be proper. The
// output of a deterministic factor (edge 0) has no such function: see output_moments.
class ExactMessage {
 public:
  ExactMessage(const Factor& factor, std::size_t edge, std::vector<Gaussian> incoming);

  double log_value(double x) const;

  // The message as a density; only where its mass is finite. `near` says where to look for it.
  Tabulated density(const Gaussian& near) const;
  // The message times the incoming one of the same edge.
  Tabulated marginal() const;

 private:
  std::vector<double> range(std::size_t edge, const Gaussian& around,
                            const std::vector<double>& values, Reach reach) const;
  // log of the integral of the factor over the edges in `open`, the others fixed in `values`.
  double log_integral(std::size_t open, std::vector<double>& values) const;
  double log_factor(const std::vector<double>& values) const;

  const Factor& factor_;
  std::size_t edge_;
  std::vector<Gaussian> incoming_;
  std::vector<std::size_t> others_;  // the edges to integrate over
};

struct OutputMoments {
  double mean, variance;
};
// Mean and variance of x_0 = g(x_1, ..., x_n) under the incoming messages of a deterministic
// factor.
OutputMoments output_moments(const Factor& factor, const std::vector<Gaussian>& incoming);

// --- KL divergences between an exact density, known by quadrature, and a Gaussian.

// KL(p || q) for a tabulated density p.
double kl_divergence(const Tabulated& p, const Gaussian& q);

// One instance of the master theorem.
struct MasterInstance {
  double message_kl;   // delta = KL(exact message || approximate message)
  double marginal_kl;  // KL of the normalised products with the incoming message
  double bound;        // ||incoming||_inf/Z delta
  double ratio() const { return marginal_kl / bound; }
};

// `exact_message` and `exact_marginal` belong to one edge, `incoming` came in there, `sent` went
// out.
MasterInstance master_instance(const Tabulated& exact_message, const Tabulated& exact_marginal,
                               const Gaussian& incoming, const Gaussian& sent);

// --- The exponent of a power law, observed.

// p of y ~ x^p, by least squares over the logarithms; absent with fewer than three pairs. All
// numbers must be positive.
std::optional<double> power_law_exponent(std::span<const double> x, std::span<const double> y);

}  // namespace postrider::internal
