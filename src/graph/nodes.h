// Hyperparameters held at nodes: variances, autoregressive coefficients, length scales, in coordinates in which they are free real numbers.
//
//   q(g) = sum_k w_k delta(g - g_k),   w_k ~ p(g_k) Z(g_k),   q(x) = sum_k w_k q_k(x),
//
// with Z the evidence of the model at g_k and q_k its belief there. The nodes are a lattice about the mode of p(g) Z(g), somewhat less than a deviation of its
// curvature apart, as far as the density has mass: the trapezoid rule, whose error falls exponentially as the lattice is refined. It is
// refined until what every second node says agrees with what all say. Tails and skewness are followed as far as they go, which nodes laid out
// beforehand would not.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "postrider/graph/model.h"

namespace postrider::internal {

// log p(g) Z(g), up to a constant; -infinity where there is no belief.
using LogHyperDensity = std::function<double(std::span<const double> g)>;

struct NodeOptions {
  double tolerance = 0.005;  // of means, in deviations, and of deviations, in shares
  std::size_t most = 2000;   // evaluations for nodes
};

// `start` and `scale`: where to look first, and steps for first derivatives there. Up to three hyperparameters: the nodes are about
// 13, 130 and 900; there are none if the density is nowhere finite, or has no mode.
graph::Model::Nodes hyperparameter_nodes(const LogHyperDensity& log_density,
                                         std::span<const double> start,
                                         std::span<const double> scale,
                                         const NodeOptions& options = {});

}  // namespace postrider::internal
