// The exact messages of a product z = x y, much faster than by quadrature over both variables.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "factor/words.h"
#include "math/quadrature.h"

namespace postrider::internal {

// Once one of its inputs is known, the product is linear in the other, and the factor's own message
// to z is exact. What is left is an integral over one variable at most. Edges: z, x, y. The inputs
// must be proper; the message from z is read only where one says so.
class ExactProduct {
 public:
  ExactProduct(const Factor& product, std::span<const Gaussian> incoming);

  // The message to z: its density. It has a logarithmic pole at zero where both inputs may be zero.
  double log_output(double z) const;
  // The message to an input as a function, not normalised: its mass is infinite. Reads z.
  double log_input(std::size_t edge, double value) const;

  // The message to z times one that comes in there (which may be uniform): the logarithm of its
  // mass, and how far it is from a Gaussian once it is normalised.
  struct Divergence {
    double log_mass, kl;
  };
  Divergence output_divergence(const Gaussian& incoming, const Gaussian& from) const;
  // The message to an input times the message that came in there.
  Tabulated input_marginal(std::size_t edge) const;

 private:
  // The message to z when the variable of this edge is known.
  Gaussian given(std::size_t edge, double value) const;
  void slice_line();
  void slice_logarithm();
  void add_slice(double at, double log_weight);
  bool is_away_from_zero() const;

  // The density of z is a mixture, over points of the input further from zero, of messages given it.
  struct Slice {
    double size;       // of the point
    double log_top;    // of the weighted density of z at its mean
    double mean, rho;  // of that density
  };

  const Factor& product_;
  std::array<Gaussian, 3> incoming_;
  std::size_t
      certain_;  // the edge to integrate over: of the input further from zero, in deviations
  double mean_, deviation_;    // of it
  std::vector<Slice> slices_;  // larger points first
};

}  // namespace postrider::internal
