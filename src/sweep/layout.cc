#include "sweep/layout.h"

#include <algorithm>

#include "sweep/observation.h"

namespace postrider::internal {
namespace {

// Vector instructions that one example costs, counted from the kernels: per vector of edges, and per
// row for its two reductions. The first layer sends nothing to its inputs.
constexpr std::size_t kPerVector = 30, kPerVectorFirst = 20, kPerReduction = 18;
// Per vector of activations, there and back.
constexpr std::size_t kPerActivation = 250;

// The same forwards only, in blocks of examples, which read the weights once: loads of an input's moments
// and what they add to the sums; and an activation's moments.
constexpr std::size_t kPerVectorForward = 7, kPerActivationForward = 100;

// Room for beliefs, two floats for each weight: less than the second-level cache of common machines.
constexpr std::size_t kCacheBytes = std::size_t{1} << 20;
// Beyond it the beliefs of a pack, 4 MiB in float, leave the cache, and networks one after another are
// faster, each in the cache by itself (bench/growth).
constexpr std::size_t kMostPackedWeights = std::size_t{1} << 15;

std::size_t per_vector(bool is_first) { return is_first ? kPerVectorFirst : kPerVector; }
std::size_t vectors(std::size_t count) { return padded(count) / kPadding; }

std::size_t cost_across_units(const SweepLayer& layer, bool is_first) {
  return layer.active_fan_in() *
         (vectors(layer.units) * per_vector(is_first) + (is_first ? 0 : kPerReduction));
}
std::size_t cost_across_inputs(const SweepLayer& layer, bool is_first) {
  return layer.units * (vectors(layer.fan_in()) * per_vector(is_first) + kPerReduction);
}

// Where it makes little difference, across units: blocks of examples have their fastest pass there (block-inl.h).
bool lanes_across_units(const SweepLayer& layer, bool is_first) {
  constexpr double kLittle = 1.1;
  return static_cast<double>(cost_across_units(layer, is_first)) <=
         kLittle * static_cast<double>(cost_across_inputs(layer, is_first));
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

bool fits_the_cache_in_packs(std::size_t weights) {
  return kPack * weights * 2 * sizeof(float) <= kCacheBytes;
}

bool lanes_across_networks(const std::vector<SweepLayer>& layers, std::size_t networks) {
  std::size_t weights = 0;
  for (const SweepLayer& layer : layers) weights += layer.weights();
  if (weights > kMostPackedWeights) return false;
  std::size_t alone = 0, side_by_side = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t activation = layers[l].slope != 1 ? kPerActivation : 0;
    alone += std::min(cost_across_units(layers[l], l == 0), cost_across_inputs(layers[l], l == 0)) +
             vectors(layers[l].units) * activation;
    side_by_side += layers[l].units * (layers[l].active_fan_in() * per_vector(l == 0) + activation);
  }
  return side_by_side < networks * alone;
}

bool lanes_across_networks_forward(const std::vector<SweepLayer>& layers, std::size_t networks) {
  std::size_t alone = 0, side_by_side = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const SweepLayer& layer = layers[l];
    const std::size_t activation = layer.slope != 1 ? kPerActivationForward : 0;
    const std::size_t sums =
        lanes_across_units(layer, l == 0)
            ? layer.active_fan_in() * vectors(layer.units) * kPerVectorForward
            : layer.units * (vectors(layer.fan_in()) * kPerVectorForward + kPerReduction);
    alone += sums + vectors(layer.units) * activation;
    side_by_side += layer.units * (layer.active_fan_in() * kPerVectorForward + activation);
  }
  return side_by_side < networks * alone;
}

}  // namespace postrider::internal
