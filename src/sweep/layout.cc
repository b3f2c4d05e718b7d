#include "sweep/layout.h"

namespace postrider {
namespace {

// Vector instructions that one example costs, counted from the kernels: per vector of edges, and per
// row for its two reductions. The first layer sends nothing to its inputs.
constexpr std::size_t kPerVector = 30, kPerVectorFirst = 20, kPerReduction = 18;

bool lanes_across_units(const SweepLayer& layer, bool is_first) {
  const std::size_t per_vector = is_first ? kPerVectorFirst : kPerVector;
  const std::size_t across_units = layer.fan_in() * (padded(layer.units) / kPadding * per_vector +
                                                     (is_first ? 0 : kPerReduction));
  const std::size_t across_inputs =
      layer.units * (padded(layer.fan_in()) / kPadding * per_vector + kPerReduction);
  return across_units <= across_inputs;
}

}  // namespace

Layout::Layout(const std::vector<SweepLayer>& layers) {
  for (const SweepLayer& layer : layers) {
    const bool units_across = lanes_across_units(layer, layers_.empty());
    const std::size_t rows = units_across ? layer.fan_in() : layer.units;
    const std::size_t columns = units_across ? layer.units : layer.fan_in();
    layers_.push_back({size_, rows, columns, padded(columns), units_across});
    size_ += layers_.back().size();
    weights_ += layer.weights();
  }
}

std::vector<std::size_t> Layout::positions(const std::vector<SweepLayer>& layers) const {
  std::vector<std::size_t> out;
  out.reserve(weights_);
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (std::size_t i = 0; i < layers[l].units; ++i)
      for (std::size_t j = 0; j < layers[l].fan_in(); ++j) out.push_back(layers_[l].index(i, j));
  return out;
}

}  // namespace postrider
