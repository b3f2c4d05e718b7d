#include "estimator/dense.h"

#include <string>

#include "data/kept_inputs.h"
#include "estimator/unusable.h"
#include "postrider/error.h"

namespace postrider::internal {

network::NetworkOptions dense_network(const DenseShape& shape, std::size_t inputs,
                                      std::size_t outputs) {
  network::NetworkOptions out = network::NetworkOptions::dense(inputs, shape.hidden, outputs);
  for (std::size_t l = 0; l < shape.hidden.size(); ++l) {
    out.layers[l].activation = shape.activation;
    out.layers[l].slope = shape.slope;
  }
  out.precision = shape.precision;
  out.seed = shape.seed;
  out.active_inputs = shape.active_inputs;
  return out;
}

DenseShape shape_of(const network::NetworkOptions& network) {
  const network::Layer usual;
  DenseShape out{{},           usual.activation,     usual.slope, network.precision,
                 network.seed, network.active_inputs};
  for (std::size_t l = 0; l + 1 < network.layers.size(); ++l)
    out.hidden.push_back(network.layers[l].units);
  if (!out.hidden.empty()) {
    out.activation = network.layers.front().activation;
    out.slope = network.layers.front().slope;
  }
  return out;
}

void expect_near(const Scales& scales, const Inputs& inputs) {
  const std::size_t columns = scales.columns(), size = inputs.values().size();
  if (inputs.is_sparse() ? inputs.columns(1) != columns : size % columns != 0)
    reject("inputs", inputs.is_sparse() ? inputs.columns(1) : size,
           "must be a whole number of rows of the columns learned");
  expect_sound(inputs);
  expect_none("inputs", unusable_inputs(scales, inputs));
}

std::size_t input_columns(const Inputs& inputs, std::size_t rows, const char* counted_by) {
  // Here, in the caller's units: standardised, an infinite value may look like a missing one.
  expect_finite("inputs", inputs.values());
  expect_sound(inputs);
  const std::size_t size = inputs.values().size();
  if (inputs.is_sparse() ? inputs.columns(1) == 0 || inputs.rows(1) != rows
                         : size == 0 || size % rows != 0)
    reject("inputs", inputs.is_sparse() ? inputs.rows(1) : size,
           std::string("must hold the same number of values for every row of ") + counted_by);
  return inputs.columns(rows);
}

}  // namespace postrider::internal
