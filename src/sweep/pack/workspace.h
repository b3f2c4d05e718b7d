// What a sweep of a pack keeps of the examples in flight: as Workspace, with kPack numbers in the place
// of one. A value of the caller's, one per thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sweep/arrays.h"
#include "sweep/layout.h"
#include "sweep/observation.h"
#include "sweep/workspace.h"

namespace postrider::internal {

// Events of each network, counted in lanes.
template <class T>
struct PackCounts {
  alignas(kAlignment) std::array<T, kPack> linearised{}, silent{}, guarded{}, bounded{};
};

template <class T>
class PackWorkspace {
 public:
  explicit PackWorkspace(const std::vector<SweepLayer>& layers) {
    std::size_t size = 0;
    for (const SweepLayer& layer : layers)
      size += kLargestBlock * kPack * (5 * layer.fan_in() + 8 * layer.units);
    memory_.resize(size + 2 * kLargestBlock * kPack);
    T* next = memory_.data();
    const auto take = [&](std::size_t stride) {
      T* const out = next;
      next += kLargestBlock * stride;
      return out;
    };
    for (const SweepLayer& layer : layers) {
      LayerWork<T> work{};
      work.x_stride = kPack * layer.fan_in();
      work.s_stride = kPack * layer.units;
      for (T** array : {&work.x_mean, &work.x_variance, &work.x_square, &work.x_tau, &work.x_rho})
        *array = take(work.x_stride);
      for (T** array :
           {&work.s_mean, &work.s_variance, &work.mean_slope, &work.c0, &work.c1, &work.least})
        *array = take(work.s_stride);
      work.front_mean = layer.activation_precision > 0 ? take(work.s_stride) : work.s_mean;
      work.front_variance = layer.activation_precision > 0 ? take(work.s_stride) : work.s_variance;
      // Beyond the inputs: the bias as an input of one, which nobody overwrites.
      if (layer.bias)
        for (std::size_t e = 0; e < kLargestBlock; ++e)
          for (T* const array : {work.x_mean, work.x_square})
            std::fill_n(array + e * work.x_stride + kPack * layer.inputs, kPack, T{1});
      layers_.push_back(work);
    }
    powers_ = take(kPack);
    std::size_t most = 0;
    for (const SweepLayer& layer : layers) most = std::max(most, layer.fan_in());
    all_rows_.resize(most);
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
  }

  // Pointers into the memory: a copy would share it.
  PackWorkspace(const PackWorkspace&) = delete;
  PackWorkspace& operator=(const PackWorkspace&) = delete;
  PackWorkspace(PackWorkspace&&) noexcept = default;
  PackWorkspace& operator=(PackWorkspace&&) noexcept = default;

  const std::vector<LayerWork<T>>& layers() const { return layers_; }
  // That each example's messages are raised to: kPack numbers per example in flight.
  T* powers() const { return powers_; }
  // The targets of one example, kPack numbers for each.
  AlignedVector<T>& targets() { return targets_; }
  // What was said of the outputs from predictions without the group, example by example of a group: mean,
  // then variance, of kPack networks for each output.
  AlignedVector<T>& left_out() { return left_out_; }
  // Beliefs without all that a group said, of the weights that its rows touch.
  WeightMessages<T>& without(std::size_t numbers) {
    if (without_.size() != numbers) without_ = WeightMessages<T>(numbers);
    return without_;
  }
  ActiveColumns& active() { return active_; }
  std::span<const std::uint32_t> all_rows() const { return all_rows_; }

  PackCounts<T> counts;

 private:
  AlignedVector<T> memory_, targets_, left_out_;
  WeightMessages<T> without_;
  T* powers_;
  std::vector<LayerWork<T>> layers_;
  ActiveColumns active_;
  std::vector<std::uint32_t> all_rows_;
};

}  // namespace postrider::internal
