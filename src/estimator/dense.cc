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
  expect_whole_rows(inputs, scales.columns());
  expect_sound(inputs);
  expect_none("inputs", unusable_inputs(scales, inputs));
}

void expect_whole_rows(const Inputs& inputs, std::size_t columns) {
  const Inputs rows = inputs.of_columns(columns);
  if (rows.columns() == columns && rows.has_whole_rows()) return;
  reject("inputs", inputs.has_shape() ? inputs.columns() : inputs.values().size(),
         "must be a whole number of rows of the columns learned");
}

Inputs rows_of_inputs(const Inputs& inputs, std::size_t rows, const char* counted_by) {
  // Here, in the caller's units: standardised, an infinite value may look like a missing one.
  expect_finite("inputs", inputs.values());
  expect_sound(inputs);
  const Inputs out = inputs.of_rows(rows);
  if (out.columns() == 0 || out.rows() != rows || !out.has_whole_rows())
    reject("inputs", inputs.has_shape() ? inputs.rows() : inputs.values().size(),
           std::string("must hold the same number of values for every row of ") + counted_by);
  return out;
}

}  // namespace postrider::internal
