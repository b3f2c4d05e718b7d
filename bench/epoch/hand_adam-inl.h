// Kernels of the hand-written Adam, once per Highway target.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bench/epoch/contender.h"
#include "bench/epoch/hand_adam.h"
#include "hwy/highway.h"

#if defined(POSTRIDER_BENCH_HAND_ADAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_BENCH_HAND_ADAM_INL_H_
#undef POSTRIDER_BENCH_HAND_ADAM_INL_H_
#else
#define POSTRIDER_BENCH_HAND_ADAM_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Sums that a tile holds: most of 32 registers, or of 16.
inline constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;
inline constexpr size_t kSums = kManyRegisters ? 24 : 12;
inline constexpr size_t kTileVectors = 4, kAcrossVectors = 2;
// Enough chains to hide the latency, where a row is one vector.
constexpr size_t tile_rows(size_t vectors) { return vectors == 1 ? kSums / 2 : kSums / vectors; }

template <size_t kCount>
using Constant = std::integral_constant<size_t, kCount>;

// Calls run with a count from 1 to kMost as a constant.
template <size_t kMost, class Run>
HWY_INLINE void with_count(size_t count, Run&& run) {
  if (count == kMost) return run(Constant<kMost>());
  if constexpr (kMost > 1) with_count<kMost - 1>(count, run);
}

// Calls run(first, count as a constant) for parts of [0, size), as even as they can be, of at most
// kMost. Narrow integers: in small networks the divisions of wide ones took a quarter of the time.
template <size_t kMost, class Run>
HWY_INLINE void in_parts(size_t size, Run&& run) {
  auto parts = static_cast<uint32_t>((size + kMost - 1) / kMost);
  for (size_t first = 0; first < size; --parts) {
    const auto left = static_cast<uint32_t>(size - first);
    const uint32_t count = parts == 1 ? left : (left + parts - 1) / parts;
    with_count<kMost>(count, [&](auto constant) HWY_ATTR { run(first, constant); });
    first += count;
  }
}

template <size_t kRows, size_t kVectors>
HWY_INLINE void forward_tile(const HandLayer& layer, size_t example, size_t column) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V sum[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  const float* x = layer.x + example * layer.x_stride;
  const float* w = layer.weights + column;
  for (size_t j = 0; j < layer.fan_in; ++j, w += layer.stride) {
    V row[kVectors];
    for (size_t v = 0; v < kVectors; ++v) row[v] = hn::Load(d, w + v * lanes);
    for (size_t r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, x[r * layer.x_stride + j]);
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
    }
  }
  const V slope = hn::Set(d, layer.slope);
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v)
      hn::Store(hn::Max(sum[r][v], hn::Mul(slope, sum[r][v])), d,
                layer.out + (example + r) * layer.out_stride + column + v * lanes);
}

inline void forward(const HandCall& call) {
  const size_t lanes = hn::Lanes(D());
  for (size_t l = 0; l < call.layer_count; ++l) {
    const HandLayer& layer = call.layers[l];
    in_parts<kTileVectors>(layer.columns / lanes, [&](size_t vector, auto vectors) HWY_ATTR {
      in_parts<tile_rows(vectors())>(call.batch, [&](size_t example, auto examples) HWY_ATTR {
        forward_tile<examples(), vectors()>(layer, example, vector * lanes);
      });
    });
    if (layer.out_has_bias)
      for (size_t e = 0; e < call.batch; ++e) layer.out[e * layer.out_stride + layer.units] = 1;
  }
}

template <size_t kRows, size_t kVectors>
HWY_INLINE void backward_tile(const HandLayer& layer, size_t lanes_of_batch, size_t input,
                              size_t lane) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V sum[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  const float* w = layer.weights + input * layer.stride;
  const float* back = layer.back_across + lane;
  for (size_t i = 0; i < layer.units; ++i, back += lanes_of_batch) {
    V column[kVectors];
    for (size_t v = 0; v < kVectors; ++v) column[v] = hn::Load(d, back + v * lanes);
    for (size_t r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, w[r * layer.stride + i]);
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, column[v], sum[r][v]);
    }
  }
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v)
      hn::Store(sum[r][v], d,
                layer.input_back_across + (input + r) * lanes_of_batch + lane + v * lanes);
}

#if HWY_TARGET == HWY_SCALAR
template <bool kAcross>
inline void through_activation(const HandCall& call, const HandLayer& layer,
                               const HandLayer& below) {
  for (size_t i = 0; i < below.units; ++i)
    for (size_t e = 0; e < call.batch; ++e) {
      const float derivative = below.out[e * below.out_stride + i] > 0 ? 1.0f : below.slope;
      const float back = layer.input_back_across[i * call.lanes + e] * derivative;
      below.back[e * below.columns + i] = back;
      below.back_across[i * call.lanes + e] = back;
    }
}
#else
using Four = hn::CappedTag<float, 4>;

// Turns four rows of four into four columns.
HWY_INLINE void transpose(hn::Vec<Four> (&rows)[4]) {
  const Four d;
  const hn::RepartitionToWide<Four> pairs;
  const auto low = [&](auto a, auto b) HWY_ATTR { return hn::InterleaveLower(d, a, b); };
  const auto high = [&](auto a, auto b) HWY_ATTR { return hn::InterleaveUpper(d, a, b); };
  const auto ab = hn::BitCast(pairs, low(rows[0], rows[1]));
  const auto cd = hn::BitCast(pairs, low(rows[2], rows[3]));
  const auto upper_ab = hn::BitCast(pairs, high(rows[0], rows[1]));
  const auto upper_cd = hn::BitCast(pairs, high(rows[2], rows[3]));
  rows[0] = hn::BitCast(d, hn::InterleaveLower(pairs, ab, cd));
  rows[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab, cd));
  rows[2] = hn::BitCast(d, hn::InterleaveLower(pairs, upper_ab, upper_cd));
  rows[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, upper_ab, upper_cd));
}

// From derivatives by the activations, which lie by unit, to those by the sums, by example and, if
// kAcross, by unit too. Padding of the batch is computed and never read; padding of the units is zero,
// since input_back_across is.
template <bool kAcross>
inline void through_activation(const HandCall& call, const HandLayer& layer,
                               const HandLayer& below) {
  const Four d;
  const auto slope = hn::Set(d, below.slope), one = hn::Set(d, 1.0f);
  for (size_t i = 0; i < below.units; i += 4)
    for (size_t e = 0; e < call.batch; e += 4) {
      hn::Vec<Four> back[4];
      for (size_t k = 0; k < 4; ++k)
        back[k] = hn::Load(d, layer.input_back_across + (i + k) * call.lanes + e);
      transpose(back);
      for (size_t k = 0; k < 4; ++k) {
        const auto out = hn::Load(d, below.out + (e + k) * below.out_stride + i);
        const auto derivative = hn::IfThenElse(hn::Gt(out, hn::Zero(d)), one, slope);
        back[k] = hn::Mul(back[k], derivative);
        hn::Store(back[k], d, below.back + (e + k) * below.columns + i);
      }
      if constexpr (kAcross) {
        transpose(back);
        for (size_t k = 0; k < 4; ++k)
          hn::Store(back[k], d, below.back_across + (i + k) * call.lanes + e);
      }
    }
}
#endif

// Through the weights of a layer and the activation below it.
inline void backward(const HandCall& call, const HandLayer& layer, const HandLayer& below) {
  const size_t lanes = hn::Lanes(D());
  in_parts<kAcrossVectors>(call.lanes / lanes, [&](size_t vector, auto vectors) HWY_ATTR {
    in_parts<tile_rows(vectors())>(layer.inputs, [&](size_t input, auto inputs) HWY_ATTR {
      backward_tile<inputs(), vectors()>(layer, call.lanes, input, vector * lanes);
    });
  });
  // The lowest layer sends nothing down and does not need its derivatives by unit.
  if (&below == call.layers) return through_activation<false>(call, layer, below);
  through_activation<true>(call, layer, below);
}

// 1/sqrt(x) and 1/x by an estimate and a Newton step: right to the last bits of a float, and several
// times as fast as the instructions that are exact.
HWY_INLINE V inverse_root(V x) {
  const D d;
  const V estimate = hn::ApproximateReciprocalSqrt(x);
  const V half = hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), estimate);
  return hn::Mul(estimate, hn::NegMulAdd(half, estimate, hn::Set(d, 1.5f)));
}
HWY_INLINE V inverse(V x) {
  const V estimate = hn::ApproximateReciprocal(x);
  return hn::Mul(estimate, hn::NegMulAdd(x, estimate, hn::Set(D(), 2.0f)));
}

HWY_INLINE void adam(const HandCall& call, const HandLayer& layer, size_t at, V gradient) {
  const D d;
  const V first = hn::Load(d, layer.first_moment + at);
  const V second = hn::Load(d, layer.second_moment + at);
  const V new_first =
      hn::MulAdd(hn::Set(d, static_cast<float>(1 - kBeta1)), hn::Sub(gradient, first), first);
  const V new_second = hn::MulAdd(hn::Set(d, static_cast<float>(1 - kBeta2)),
                                  hn::MulSub(gradient, gradient, second), second);
  hn::Store(new_first, d, layer.first_moment + at);
  hn::Store(new_second, d, layer.second_moment + at);
  // Far below epsilon squared: keeps the root of zero from being 0 times infinity.
  const V square = hn::Add(new_second, hn::Set(d, 1e-30f));
  const V root = hn::Mul(square, inverse_root(square));
  const V divisor =
      hn::MulAdd(root, hn::Set(d, call.root_scale), hn::Set(d, static_cast<float>(kEpsilon)));
  const V change = hn::Mul(hn::Mul(new_first, hn::Set(d, call.step)), inverse(divisor));
  hn::Store(hn::Sub(hn::Load(d, layer.weights + at), change), d, layer.weights + at);
}

template <size_t kRows, size_t kVectors>
HWY_INLINE void learn_tile(const HandCall& call, const HandLayer& layer, size_t input,
                           size_t column) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V sum[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  const float* x = layer.x + input;
  const float* back = layer.back + column;
  for (size_t e = 0; e < call.batch; ++e, x += layer.x_stride, back += layer.columns) {
    V row[kVectors];
    for (size_t v = 0; v < kVectors; ++v) row[v] = hn::Load(d, back + v * lanes);
    for (size_t r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, x[r]);
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, row[v], sum[r][v]);
    }
  }
  for (size_t r = 0; r < kRows; ++r)
    for (size_t v = 0; v < kVectors; ++v)
      adam(call, layer, (input + r) * layer.stride + column + v * lanes, sum[r][v]);
}

// Wide rows of weights in the order they lie in: moments come from memory in long runs.
inline void learn(const HandCall& call, const HandLayer& layer) {
  const size_t lanes = hn::Lanes(D()), vectors_of_row = layer.columns / lanes;
  if (vectors_of_row <= kTileVectors)
    return with_count<kTileVectors>(vectors_of_row, [&](auto vectors) HWY_ATTR {
      in_parts<tile_rows(vectors())>(layer.fan_in, [&](size_t input, auto inputs) HWY_ATTR {
        learn_tile<inputs(), vectors()>(call, layer, input, 0);
      });
    });
  in_parts<tile_rows(kTileVectors)>(layer.fan_in, [&](size_t input, auto inputs) HWY_ATTR {
    in_parts<kTileVectors>(vectors_of_row, [&](size_t vector, auto vectors) HWY_ATTR {
      learn_tile<inputs(), vectors()>(call, layer, input, vector * lanes);
    });
  });
}

// The derivative of the mean squared error by the outputs.
inline void compare(const HandCall& call) {
  const HandLayer& last = call.layers[call.layer_count - 1];
  const float scale = 2 / static_cast<float>(call.batch * last.units);
  for (size_t e = 0; e < call.batch; ++e)
    for (size_t o = 0; o < last.units; ++o) {
      const float back =
          scale * (last.out[e * last.out_stride + o] - call.targets[e * last.units + o]);
      last.back[e * last.columns + o] = back;
      last.back_across[o * call.lanes + e] = back;
    }
}

inline void step(const HandCall& call) {
  forward(call);
  compare(call);
  for (size_t l = call.layer_count; l-- > 0;) {
    if (l > 0) backward(call, call.layers[l], call.layers[l - 1]);
    learn(call, call.layers[l]);
  }
}

}  // namespace postrider::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_BENCH_HAND_ADAM_INL_H_
