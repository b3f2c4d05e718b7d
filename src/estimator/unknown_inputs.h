// Means of squares: a target that is learned as its root.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/workers.h"
#include "network/ensemble_prediction.h"
#include "postrider/encoding.h"

namespace postrider::internal {

// E[Y] and E[Y^2] of Y = max(G, floor)^2 - floor^2, G a Gaussian.
struct RootMoments {
  double mean = 0, square = 0;
};

// The deviation may be 0; the floor must not be negative.
RootMoments root_moments(double mean, double deviation, double floor);

// --- What inputs that are missing, or not known exactly, leave open in a prediction.

// For each member the variances of its outputs, row by row, in two parts. Empty if all inputs are known.
struct InputUncertainty {
  std::vector<std::vector<double>> due_to_beliefs = {}, due_to_inputs = {};

  bool empty() const { return due_to_inputs.empty(); }
};

// Units that see the same input err together. A pass of moments through the layers takes them for independent, and says too little. So
// each unknown input of a row, of standard deviation s_j, is moved by itself to either side, the others being at their means:
//   due to inputs = sum over j of ((f(x + s_j) - f(x - s_j)) / 2)^2,
// f being the mean of an output; or what the pass of moments, of which `of_members` came, has beyond that at the means, if this is more.
InputUncertainty unknown_inputs(const EnsemblePrediction& ensemble, const SparseInputs& rows,
                                std::span<const network::Network::OutputMoments> of_members,
                                Workers& workers);

}  // namespace postrider::internal
