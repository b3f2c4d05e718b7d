// Layers whose weights are known: what they say of rows, and how that changes with their inputs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/encoding.h"
#include "postrider/function_draw.h"

namespace postrider::internal {

// What the last of these layers says of each row, its activation included.
std::vector<double> layer_outputs(std::span<const FunctionDraw::Layer> layers,
                                  const SparseInputs& rows);

// One output of one row, and its derivatives by the inputs of the first layer.
struct LayerSlope {
  double value = 0;
  std::vector<double> by_input;
};
LayerSlope slope_by_inputs(std::span<const FunctionDraw::Layer> layers, const SparseInputs& rows,
                           std::size_t row, std::size_t output);

}  // namespace postrider::internal
