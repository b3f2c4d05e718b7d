// The exact sum-product message of any factor, by quadrature over its density.
#pragma once

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

}  // namespace postrider::internal
