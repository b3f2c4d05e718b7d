// Functions drawn from what a regressor believes: the same function wherever it is asked.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "postrider/encoding.h"
#include "postrider/export.h"
#include "postrider/inputs.h"

namespace postrider {

namespace internal {
class FunctionState;
}  // namespace internal

// A network whose weights are known, in the units of the data. Without noise. Missing inputs (NaN) count as typical. Copies
// share their memory.
class POSTRIDER_EXPORT FunctionDraw {
 public:
  // One layer whose weights are known.
  struct Layer {
    std::size_t inputs = 1, units = 1;
    double slope = 1;  // of the leaky ReLU on the negative side; 1: the identity
    // From each input the weights to all units, and the biases last.
    std::vector<double> weights = {};
  };

  // A target y is g(std t + mean) of what the layers say, t. Plain: g(z) = z. Root, with an offset above 0:
  // g(z) = max(z, sqrt(offset))^2 - offset.
  struct Target {
    double mean = 0, std = 1, offset = 0;
  };

  // One target over all rows: means, and covariances row by row.
  struct JointForecast {
    std::vector<double> mean, covariance;
  };

  // All that a drawn function is made of, so that it can be stored.
  struct Parts {
    std::vector<ColumnEncoding> columns;
    std::vector<double> typical_means;  // of each input of the network, where its column is missing
    double unit = 1;                    // of all inputs
    std::vector<Layer> layers;
    std::vector<Target> targets;
  };

  // Throws InvalidArgument if the parts do not fit together.
  explicit FunctionDraw(Parts parts);

  const Parts& parts() const;
  std::size_t columns() const { return parts().columns.size(); }
  std::size_t targets() const { return parts().targets.size(); }

  // Row by row, target by target. Throws InvalidArgument if inputs are no whole rows, or infinite.
  std::vector<double> values(const Inputs& inputs) const;
  // Row by row, target by target, the derivatives by the columns; 0 by a column that is missing. At a kink it is that of
  // one of its sides.
  std::vector<double> gradients(const Inputs& inputs) const;

 private:
  std::shared_ptr<const internal::FunctionState> state_;
};

// For each target, without noise. Throws InvalidArgument if there are fewer than two functions.
POSTRIDER_EXPORT std::vector<FunctionDraw::JointForecast> joint_moments(
    std::span<const FunctionDraw> functions, const Inputs& inputs);

}  // namespace postrider
