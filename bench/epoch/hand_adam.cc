// Adam as tight as we can write it: what a gradient method could do at best on one core, without the
// overhead of a framework. Three passes over the weights per batch, of tiles that stay in registers:
//
//   forward    z = x w            lanes across units; the activation is applied before z is stored
//   backward   dx = dz w^T        lanes across the examples of a batch
//   gradient   g = x^T dz         lanes across units; Adam is applied to g in registers
#include "bench/epoch/hand_adam.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "bench/epoch/contender.h"
#include "math/simd_level.h"
#include "sweep/layout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/epoch/hand_adam.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "bench/epoch/hand_adam-inl.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::bench::HWY_NAMESPACE {
namespace {

void step_of_batch(const HandCall& call) { step(call); }
void forward_of_batch(const HandCall& call) { forward(call); }

}  // namespace
}  // namespace postrider::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::bench {
using namespace internal;
namespace {

HWY_EXPORT(step_of_batch);
HWY_EXPORT(forward_of_batch);

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Zeros. Large arrays on large pages: rows of weights are a page apart otherwise.
class Floats {
 public:
  explicit Floats(std::size_t count) {
    const std::size_t bytes = count * sizeof(float);
    const bool large = bytes >= kHugePage;
    const std::size_t alignment = large ? kHugePage : std::size_t{64};
    memory_ = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory_ == nullptr) throw std::bad_alloc();
    if (large) madvise(memory_, bytes, MADV_HUGEPAGE);
    std::fill_n(data(), count, 0.0f);
  }
  ~Floats() { std::free(memory_); }
  Floats(Floats&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Floats& operator=(Floats&&) = delete;

  float* data() { return static_cast<float*>(memory_); }

 private:
  void* memory_;
};

class HandAdam : public Contender {
 public:
  HandAdam(const Case& of, const TrainingSet& set)
      : case_(of),
        step_(dispatched(HWY_DISPATCH_TABLE(step_of_batch), SimdLevel::best())),
        forward_(dispatched(HWY_DISPATCH_TABLE(forward_of_batch), SimdLevel::best())) {
    const std::vector<std::vector<float>> weights = starting_weights(of);
    const std::size_t lanes = padded(of.batch);
    float* x = nullptr;
    for (std::size_t l = 0; l < of.layers(); ++l) {
      HandLayer layer{};
      layer.inputs = of.widths[l];
      layer.fan_in = of.fan_in(l);
      layer.units = of.widths[l + 1];
      layer.columns = padded(layer.units);
      // Rows at multiples of 4096 bytes would share the few places of one set of the cache.
      layer.stride = layer.columns + (layer.columns % 512 == 0 ? kPadding : 0);
      layer.slope = l + 1 < of.layers() ? of.slopes[l] : 1.0f;
      layer.weights = take(layer.fan_in * layer.stride);
      layer.first_moment = take(layer.fan_in * layer.stride);
      layer.second_moment = take(layer.fan_in * layer.stride);
      layer.x = x;
      layer.x_stride = padded(layer.fan_in);
      layer.out_has_bias = of.bias && l + 1 < of.layers();
      layer.out_stride = layer.out_has_bias ? padded(layer.units + 1) : layer.columns;
      layer.out = x = take(lanes * layer.out_stride);
      layer.back = take(lanes * layer.columns);
      layer.back_across = take(lanes * layer.columns);
      layer.input_back_across = take(lanes * padded(layer.fan_in));
      for (std::size_t i = 0; i < layer.units; ++i)
        for (std::size_t j = 0; j < layer.fan_in; ++j)
          layer.weights[j * layer.stride + i] = weights[l][i * layer.fan_in + j];
      layers_.push_back(layer);
    }
    load(set);
  }

  void epoch() override {
    for (std::size_t first = 0; first < case_.rows; first += case_.batch) {
      first_power_ *= kBeta1;
      second_power_ *= kBeta2;
      HandCall call = call_at(first);
      call.step = static_cast<float>(case_.learning_rate / (1 - first_power_));
      call.root_scale = static_cast<float>(1 / std::sqrt(1 - second_power_));
      step_(call);
    }
  }

  double loss() override {
    double sum = 0;
    const std::size_t outputs = case_.widths.back();
    for (std::size_t first = 0; first < case_.rows; first += case_.batch) {
      const HandCall call = call_at(first);
      forward_(call);
      const HandLayer& last = layers_.back();
      for (std::size_t e = 0; e < call.batch; ++e)
        for (std::size_t o = 0; o < outputs; ++o) {
          const auto gap = static_cast<double>(last.out[e * last.out_stride + o] -
                                               call.targets[e * outputs + o]);
          sum += gap * gap;
        }
    }
    return sum / static_cast<double>(case_.rows * outputs);
  }

 private:
  float* take(std::size_t count) { return memory_.emplace_back(count).data(); }

  // Rows padded, with the bias as an input of one.
  void load(const TrainingSet& set) {
    const std::size_t inputs = case_.widths.front(), stride = layers_.front().x_stride;
    inputs_ = take(case_.rows * stride);
    for (std::size_t r = 0; r < case_.rows; ++r) {
      std::copy_n(&set.inputs[r * inputs], inputs, inputs_ + r * stride);
      if (case_.bias) inputs_[r * stride + inputs] = 1;
    }
    targets_ = set.targets;
  }

  HandCall call_at(std::size_t first) {
    layers_.front().x = inputs_ + first * layers_.front().x_stride;
    HandCall call{};
    call.layers = layers_.data();
    call.layer_count = layers_.size();
    call.batch = std::min(case_.batch, case_.rows - first);
    call.lanes = padded(case_.batch);
    call.targets = &targets_[first * case_.widths.back()];
    return call;
  }

  Case case_;
  void (*step_)(const HandCall&);
  void (*forward_)(const HandCall&);
  std::vector<Floats> memory_;
  std::vector<HandLayer> layers_;
  float* inputs_ = nullptr;
  std::vector<float> targets_;
  double first_power_ = 1, second_power_ = 1;  // of the betas, to the number of steps
};

}  // namespace

std::unique_ptr<Contender> make_hand_adam(const Case& of, const TrainingSet& set) {
  return std::make_unique<HandAdam>(of, set);
}

}  // namespace postrider::bench
#endif  // HWY_ONCE
