// Whether a belief can be trusted: draws from it, weighted by what the model says of them.
//
// With draws x_s ~ q and weights w_s ~ p(x_s)/q(x_s) the weighted moments are those of the model, as far as the weights are even. The largest
// are replaced by quantiles of a generalised Pareto distribution fitted to them (Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto smoothed importance
// sampling", 2024), whose shape k says whether they can be: below 0.7 moments are reliable, above it the draws cannot tell, which is not
// to say that the belief is wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "postrider/graph/model.h"

namespace postrider::internal {

// `draw` fills x with draw number s; the two densities are logarithms, of which that of the model need not be normalised.
struct WeightedDraws {
  std::function<void(std::size_t s, std::span<double> x)> draw;
  std::function<double(std::span<const double> x)> log_belief;
  // For several points, one after the other.
  std::function<void(std::span<const double> points, std::span<double> out)> log_model;
};
graph::Model::Check check_posterior(const WeightedDraws& of, std::size_t variables,
                                    std::size_t draws);

// The shape of a generalised Pareto distribution of these excesses, ascending and above 0, and its scale (Zhang and Stephens, "A new and
// efficient estimation method for the generalized Pareto distribution", 2009), k drawn a little towards 1/2 where they are few.
struct ParetoFit {
  double k, sigma;
};
ParetoFit fit_pareto(std::span<const double> excesses);

}  // namespace postrider::internal
