// What a sweep keeps of the examples in flight. A value of the caller's, one per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "sweep/arrays.h"
#include "sweep/input_rows.h"
#include "sweep/layout.h"

namespace postrider::internal {

// How many examples may be swept from one snapshot of the weights.
inline constexpr std::size_t kLargestBlock = 8;

// The variance that stands for a message that says nothing: no digit of any belief shows it.
inline constexpr double kVague = 1e30;

// One layer's view: examples in flight one after the other, at distances of a stride.
template <class T>
struct LayerWork {
  // The layer's inputs: forward moments, mean^2 + variance, and the sum of what comes back.
  T *x_mean, *x_variance, *x_square, *x_tau, *x_rho;
  std::size_t x_stride;
  // The sums, without and with the activation prior (the same arrays where there is none).
  T *s_mean, *s_variance, *front_mean, *front_variance;
  T* mean_slope;  // of the activations
  // What comes back to the sums, as the product factor takes it (SumBack).
  T *c0, *c1, *least;
  std::size_t s_stride;
};

template <class T>
class Workspace {
 public:
  explicit Workspace(const std::vector<SweepLayer>& layers) {
    std::size_t size = 0;
    for (const SweepLayer& layer : layers)
      size += kLargestBlock * (5 * padded(layer.fan_in()) + 8 * padded(layer.units));
    memory_.resize(size);
    T* next = memory_.data();
    const auto take = [&](std::size_t stride) {
      T* const out = next;
      next += kLargestBlock * stride;
      return out;
    };
    for (const SweepLayer& layer : layers) {
      LayerWork<T> work{};
      work.x_stride = padded(layer.fan_in());
      work.s_stride = padded(layer.units);
      for (T** array : {&work.x_mean, &work.x_variance, &work.x_square, &work.x_tau, &work.x_rho})
        *array = take(work.x_stride);
      for (T** array :
           {&work.s_mean, &work.s_variance, &work.mean_slope, &work.c0, &work.c1, &work.least})
        *array = take(work.s_stride);
      work.front_mean = layer.activation_precision > 0 ? take(work.s_stride) : work.s_mean;
      work.front_variance = layer.activation_precision > 0 ? take(work.s_stride) : work.s_variance;
      // Beyond the inputs: the bias as an input of one, then padding with zeros.
      if (layer.bias)
        for (std::size_t e = 0; e < kLargestBlock; ++e)
          work.x_mean[e * work.x_stride + layer.inputs] =
              work.x_square[e * work.x_stride + layer.inputs] = T{1};
      for (T* vague : {work.c1, work.least})
        std::fill_n(vague, kLargestBlock * work.s_stride, static_cast<T>(kVague));
      layers_.push_back(work);
    }
    std::size_t most = 0;
    for (const SweepLayer& layer : layers) most = std::max(most, layer.fan_in());
    all_rows_.resize(most);
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
  }

  // Pointers into the memory: a copy would share it.
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&&) noexcept = default;

  const std::vector<LayerWork<T>>& layers() const { return layers_; }
  ActiveColumns& active() { return active_; }
  // 0, 1, 2, ...: the rows of any other layer.
  std::span<const std::uint32_t> all_rows() const { return all_rows_; }

 private:
  AlignedVector<T> memory_;
  std::vector<LayerWork<T>> layers_;
  ActiveColumns active_;
  std::vector<std::uint32_t> all_rows_;
};

}  // namespace postrider::internal
