// Whether a belief can be trusted where weights are too uneven to tell: chains of draws, moved so that in the end they are the model's.
//
// A step goes along an ellipse through x and a draw y of a Gaussian r, x' = m + (x - m) cos t + (y - m) sin t, where t comes from a bracket
// that shrinks towards 0 until p(x')/r(x') is above a level drawn below p(x)/r(x) (Murray, Adams and MacKay, "Elliptical slice
// sampling", 2010). It leaves p as it is, whatever r is; where r is near to p a few steps forget where they began, in many dimensions as
// in few. r is the belief, somewhat wider, so that tails that the belief does not have are met.
//
// Chains are independent of each other, so errors are those of means over them. Their first half is left out, and they are made twice as
// long until the rest of each is worth several independent draws of every variable and of its square, or until it is seen that it will not be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "postrider/graph/model.h"

namespace postrider::internal {

struct BeliefToMove {
  std::span<const double> mean;
  // Independent standard normal numbers become a draw, less the mean.
  std::function<void(std::span<double> x)> colour;
  // (x - m)' V^-1 (x - m)
  std::function<double(std::span<const double> x)> squared_distance;
  // log p of several points, one after the other, up to a constant.
  std::function<void(std::span<const double> x, std::span<double> out)> log_model;
};

struct ChainOptions {
  std::size_t chains = 256, most_steps = 256;
  std::uint64_t seed = 0;
  // Ends chains that are settled; else they go on to be more precise.
  std::function<bool(const graph::Model::Check& so_far)> is_enough;
  std::span<const std::uint32_t> judged =
      {};  // variables whose chains must have settled; empty: all
};

// Moments and their errors, and how many draws the chains are worth. `can_tell` if they have settled.
graph::Model::Check check_by_chains(const BeliefToMove& belief, const ChainOptions& options);

}  // namespace postrider::internal
