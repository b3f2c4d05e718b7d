#include "estimator/drawn_layers.h"

#include <algorithm>

namespace postrider::internal {
namespace {

void add_scaled(double factor, const double* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

// The sums of the first layer, whose inputs are those that are not zero.
void sum_first(const FunctionDraw::Layer& layer, const SparseInputs& rows, std::size_t row,
               double* sums) {
  const double* biases = layer.weights.data() + layer.inputs * layer.units;
  std::copy(biases, biases + layer.units, sums);
  for (std::size_t at = rows.begins[row]; at < rows.begins[row + 1]; ++at)
    add_scaled(rows.values[at], layer.weights.data() + rows.places[at] * layer.units, layer.units,
               sums);
}

void sum_next(const FunctionDraw::Layer& layer, const double* inputs, double* sums) {
  const double* biases = layer.weights.data() + layer.inputs * layer.units;
  std::copy(biases, biases + layer.units, sums);
  for (std::size_t k = 0; k < layer.inputs; ++k)
    add_scaled(inputs[k], layer.weights.data() + k * layer.units, layer.units, sums);
}

void activate(const FunctionDraw::Layer& layer, double* sums) {
  if (layer.slope == 1) return;
  for (std::size_t i = 0; i < layer.units; ++i)
    sums[i] = sums[i] > 0 ? sums[i] : layer.slope * sums[i];
}

// Layer by layer, one row's values after their activations.
void propagate(std::span<const FunctionDraw::Layer> layers, const SparseInputs& rows,
               std::size_t row, std::vector<std::vector<double>>& values) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    values[l].resize(layers[l].units);
    if (l == 0)
      sum_first(layers[l], rows, row, values[l].data());
    else
      sum_next(layers[l], values[l - 1].data(), values[l].data());
    activate(layers[l], values[l].data());
  }
}

}  // namespace

std::vector<double> layer_outputs(std::span<const FunctionDraw::Layer> layers,
                                  const SparseInputs& rows) {
  const std::size_t count = rows.rows(), units = layers.back().units;
  std::vector<double> out(count * units);
  std::vector<std::vector<double>> values(layers.size());
  for (std::size_t row = 0; row < count; ++row) {
    propagate(layers, rows, row, values);
    std::ranges::copy(values.back(), out.begin() + static_cast<std::ptrdiff_t>(row * units));
  }
  return out;
}

// Back through the layers: what an output changes with a unit's value, times the activation's slope, is what it changes
// with the unit's sum. A leaky ReLU keeps the sign, so that the value tells the side.
LayerSlope slope_by_inputs(std::span<const FunctionDraw::Layer> layers, const SparseInputs& rows,
                           std::size_t row, std::size_t output) {
  std::vector<std::vector<double>> values(layers.size());
  propagate(layers, rows, row, values);
  std::vector<double> by_value(layers.back().units, 0.0);
  by_value[output] = 1;
  for (std::size_t l = layers.size(); l-- > 0;) {
    const FunctionDraw::Layer& layer = layers[l];
    for (std::size_t i = 0; i < layer.units; ++i)
      if (!(values[l][i] > 0)) by_value[i] *= layer.slope;
    std::vector<double> by_input(layer.inputs, 0.0);
    for (std::size_t k = 0; k < layer.inputs; ++k)
      for (std::size_t i = 0; i < layer.units; ++i)
        by_input[k] += by_value[i] * layer.weights[k * layer.units + i];
    by_value = std::move(by_input);
  }
  return {values.back()[output], std::move(by_value)};
}

}  // namespace postrider::internal
