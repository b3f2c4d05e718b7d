// Where the weight between two units of a network lies in the engine's flat arrays.
#pragma once

#include <cstddef>
#include <vector>

namespace postrider::internal {

// One dense layer: s_i = sum_j w_ij x_j (+ b_i), then y_i = max(s_i, 0) + slope min(s_i, 0).
struct SweepLayer {
  std::size_t inputs;
  std::size_t units;
  bool bias = true;
  double slope = 1;  // 1 is the identity, 0 the rectifier
  // The precision of a prior N(0, 1/precision) on every s_i; 0 is none.
  double activation_precision = 0;
  // For a first layer: inputs of an example that are not zero, on average; 0: all.
  std::size_t active_inputs = 0;

  std::size_t fan_in() const { return inputs + (bias ? 1 : 0); }
  std::size_t active_fan_in() const {
    return active_inputs == 0 || active_inputs > inputs ? fan_in() : active_inputs + (bias ? 1 : 0);
  }
  std::size_t weights() const { return units * fan_in(); }

  friend bool operator==(const SweepLayer&, const SweepLayer&) = default;
};

// Arrays are padded to whole vectors of the widest instruction set, so that kernels have no
// remainder loops.
inline constexpr std::size_t kPadding = 16;
constexpr std::size_t padded(std::size_t count) {
  return (count + kPadding - 1) / kPadding * kPadding;
}

// A layer's weights as a matrix of padded rows. Lanes run across the units (one row per input: sums
// forward need no reduction, an input of zero is a row to skip) or across the inputs (one row per
// unit: sums backward need none).
struct LayerLayout {
  std::size_t offset;
  std::size_t rows, columns, stride;
  bool units_across;

  std::size_t size() const { return rows * stride; }
  // The bias is the weight of input number `inputs`.
  std::size_t index(std::size_t unit, std::size_t input) const {
    return offset + (units_across ? input * stride + unit : unit * stride + input);
  }
};

class Layout {
 public:
  explicit Layout(const std::vector<SweepLayer>& layers);

  std::size_t size() const { return size_; }  // with padding
  std::size_t weights() const { return weights_; }
  const std::vector<LayerLayout>& layers() const { return layers_; }

  // Positions of the weights, numbered layer by layer, unit by unit, input by input, the bias last.
  std::vector<std::size_t> positions(const std::vector<SweepLayer>& layers) const;

 private:
  std::vector<LayerLayout> layers_;
  std::size_t size_ = 0, weights_ = 0;
};

// Whether the beliefs of a pack of networks with so many weights fit the second-level cache of common machines.
bool fits_the_cache_in_packs(std::size_t weights);
// Whether to sweep so many networks of one shape side by side, a network in each lane, takes fewer
// instructions than to sweep each on its own, and their beliefs stay in the cache.
bool lanes_across_networks(const std::vector<SweepLayer>& layers, std::size_t networks);
// The same for predictions, which only go forwards.
bool lanes_across_networks_forward(const std::vector<SweepLayer>& layers, std::size_t networks);

}  // namespace postrider::internal
