// Passes over the weights of one layer, forwards and backwards, for the examples in flight.
//
// A row is an input (lanes across units) or a unit (lanes across inputs). Weights are read as natural
// parameters, turned into moments in registers and, on the way back, written once: 24 bytes per edge
// and example in float, or per block of examples.
#include "factor/product-inl.h"
#include "hwy/cache_control.h"
#include "sweep/tag-inl.h"

#if defined(POSTRIDER_SWEEP_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_WEIGHTS_INL_H_
#undef POSTRIDER_SWEEP_WEIGHTS_INL_H_
#else
#define POSTRIDER_SWEEP_WEIGHTS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
using EdgeLane = Lane<SweepTag<T>>;
template <class T>
HWY_INLINE size_t edge_lanes() {
  return hn::Lanes(hn::ScalableTag<T>());
}

// A layer's inputs are given, or they are the activations of a layer below, which want an answer.
enum class InputKind { given, hidden };

template <class T>
struct Weights {
  T* tau;
  T* rho;
  LayerLayout layout;

  template <class L>
  HWY_INLINE Message<L> load(size_t at) const {
    return {L::load(tau + at), L::load(rho + at)};
  }
  template <class L>
  HWY_INLINE void store(const Message<L>& message, size_t at) const {
    message.tau.store(tau + at);
    message.rho.store(rho + at);
  }
  HWY_INLINE void prefetch(size_t at) const {
    hwy::Prefetch(tau + at);
    hwy::Prefetch(rho + at);
  }
};

// Rows, or columns in whole vectors, [first, end) of a layer.
struct Range {
  size_t first, end;
};

// Values at one place of an array, for a vector of places or the same for all lanes.
template <class L, class T>
HWY_INLINE Product::Operand<L> operand_at(const LayerWork<T>& work, size_t at) {
  return {L::load(work.x_mean + at), L::load(work.x_variance + at), L::load(work.x_square + at)};
}
template <class L, class T>
HWY_INLINE Product::Operand<L> operand_of_all(const LayerWork<T>& work, size_t at) {
  return {L::all(work.x_mean[at]), L::all(work.x_variance[at]), L::all(work.x_square[at])};
}
template <class L, class T>
HWY_INLINE Product::SumBack<L> back_at(const LayerWork<T>& work, size_t at) {
  return {L::load(work.c0 + at), L::load(work.c1 + at), L::load(work.least + at)};
}
template <class L, class T>
HWY_INLINE Product::SumBack<L> back_of_all(const LayerWork<T>& work, size_t at) {
  return {L::all(work.c0[at]), L::all(work.c1[at]), L::all(work.least[at])};
}

// --- the rules, as the loops below call them -------------------------------------------------------

struct Conditioned {
  template <class L>
  struct Input : Product::Operand<L> {
    L powered;
  };
  template <class L>
  static HWY_INLINE Input<L> prepare(Product::Operand<L> x, L power) {
    return {x, x.mean * power};
  }
  template <class L>
  static HWY_INLINE Gain<L> to_weight(Moments<L> w, Input<L> x, L gap, Product::SumBack<L> back,
                                      L /*power*/) {
    return Product::conditioned_in_sum(w.variance, x.mean, gap, back, x.powered);
  }
  template <class L>
  static HWY_INLINE Gain<L> to_input(Moments<L> w, Input<L> x, L gap, Product::SumBack<L> back) {
    return Product::conditioned_in_sum(x.variance, w.mean, gap, back, w.mean);
  }
};

struct Direct {
  template <class L>
  struct Input : Product::Operand<L> {
    Product::Certainty<L> certainty;
  };
  template <class L>
  static HWY_INLINE Input<L> prepare(Product::Operand<L> x, L /*power*/) {
    return {x, Product::certainty(Moments<L>{x.mean, x.variance})};
  }
  template <class L>
  static HWY_INLINE Gain<L> to_weight(Moments<L> w, Input<L> x, L gap, Product::SumBack<L> back,
                                      L power) {
    const Gain<L> once = Product::direct_in_sum(w, Product::Operand<L>(x), gap, back, x.certainty);
    return {once.gain * power, once.gap, once.slope};
  }
  template <class L>
  static HWY_INLINE Gain<L> to_input(Moments<L> w, Input<L> x, L gap, Product::SumBack<L> back) {
    return Product::direct_in_sum(Moments<L>{x.mean, x.variance}, Product::operand(w), gap, back,
                                  Product::certainty(w));
  }
};

// --- lanes across units: a row is an input ----------------------------------------------------------

// What a loop over the columns of a row comes back to for every row should stay in the first-level
// cache: so many columns at a time.
inline constexpr size_t kTileColumns = 256;

// Calls run with one tile after another.
template <class Run>
HWY_INLINE void for_each_tile(Range columns, Run&& run) {
  for (size_t c = columns.first; c < columns.end; c += kTileColumns)
    run(Range{c, std::min(c + kTileColumns, columns.end)});
}

// Some inputs of the examples in flight, side by side: input r of example e at e kRows + r.
template <size_t kRows, class T>
struct PackedMoments {
  T mean[kLargestBlock * kRows], variance[kLargestBlock * kRows], square[kLargestBlock * kRows];

  HWY_INLINE PackedMoments(const LayerWork<T>& work, const uint32_t* rows, size_t examples) {
    for (size_t e = 0; e < examples; ++e)
      for (size_t r = 0; r < kRows; ++r) {
        const size_t at = e * work.x_stride + rows[r], to = e * kRows + r;
        mean[to] = work.x_mean[at];
        variance[to] = work.x_variance[at];
        square[to] = work.x_square[at];
      }
  }
  template <class L>
  HWY_INLINE Product::Operand<L> of_all(size_t at) const {
    return {L::all(mean[at]), L::all(variance[at]), L::all(square[at])};
  }
};

// Adds kRows inputs to the sums of some units, so that the sums pass through memory once per kRows. The
// first rows start the sums. The rows that come next are fetched ahead: the processor does not foresee
// where a tile's next row begins.
template <size_t kRows, bool kKnown, bool kStart, class T>
HWY_INLINE void add_inputs(Weights<T> weights, LayerWork<T> work, const uint32_t* rows,
                           bool more_rows, size_t examples, Range columns) {
  using L = EdgeLane<T>;
  const size_t stride = weights.layout.stride;
  const PackedMoments<kRows, T> x(work, rows, examples);
  size_t at[kRows], next[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    at[r] = rows[r] * stride;
    next[r] = more_rows ? rows[kRows + r] * stride : at[r];
  }
  for (size_t c = columns.first; c < columns.end; c += edge_lanes<T>()) {
    Moments<L> w[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      w[r] = proper_moments(weights.template load<L>(at[r] + c));
      weights.prefetch(next[r] + c);
    }
    for (size_t e = 0; e < examples; ++e) {
      T* const mean = work.s_mean + e * stride + c;
      T* const variance = work.s_variance + e * stride + c;
      Moments<L> sum{L(0), L(0)};
      if constexpr (!kStart) sum = {L::load(mean), L::load(variance)};
      for (size_t r = 0; r < kRows; ++r)
        sum = Product::add_forward<kKnown>(sum, w[r], x.template of_all<L>(e * kRows + r));
      sum.mean.store(mean);
      sum.variance.store(variance);
    }
  }
}

// Adds rows in batches of kRows from `r` on, and returns where it has come to.
template <size_t kRows, bool kKnown, class T>
HWY_INLINE size_t add_batches(Weights<T> weights, LayerWork<T> work, std::span<const uint32_t> rows,
                              size_t r, size_t examples, Range columns) {
  for (; r + kRows <= rows.size(); r += kRows) {
    const bool more = r + 2 * kRows <= rows.size();
    if (r == 0)
      add_inputs<kRows, kKnown, true>(weights, work, &rows[r], more, examples, columns);
    else
      add_inputs<kRows, kKnown, false>(weights, work, &rows[r], more, examples, columns);
  }
  return r;
}

template <bool kKnown, class T>
void forward_units_across(Weights<T> weights, LayerWork<T> work, std::span<const uint32_t> rows,
                          size_t examples, Range all) {
  if (rows.empty()) {
    for (size_t e = 0; e < examples; ++e)
      for (T* const sums : {work.s_mean, work.s_variance})
        std::fill(sums + e * work.s_stride + all.first, sums + e * work.s_stride + all.end, T{0});
  }
  for_each_tile(all, [&](Range columns) HWY_ATTR {
    size_t r = add_batches<8, kKnown>(weights, work, rows, 0, examples, columns);
    r = add_batches<4, kKnown>(weights, work, rows, r, examples, columns);
    add_batches<1, kKnown>(weights, work, rows, r, examples, columns);
  });
}

template <class R, InputKind kInputs, size_t kExamples, class T>
void backward_units_across(Weights<T> weights, LayerWork<T> work, std::span<const uint32_t> rows,
                           T power_of_all) {
  using L = EdgeLane<T>;
  const L power = L::all(power_of_all);
  const size_t stride = weights.layout.stride;
  for (const uint32_t row : rows) {
    typename R::template Input<L> x[kExamples];
    Message<L> answer[kExamples];
    for (size_t e = 0; e < kExamples; ++e) {
      x[e] = R::prepare(operand_of_all<L>(work, e * work.x_stride + row), power);
      answer[e] = {L(0), L(0)};
    }
    for (size_t c = 0; c < stride; c += edge_lanes<T>()) {
      Message<L> belief = weights.template load<L>(row * stride + c);
      const Moments<L> w = proper_moments(belief);
      for (size_t e = 0; e < kExamples; ++e) {
        const Product::SumBack<L> back = back_at<L>(work, e * stride + c);
        const L gap = Product::gap_in_sum(w.mean, x[e].mean, back);
        belief = R::to_weight(w, x[e], gap, back, power).times(belief);
        if constexpr (kInputs == InputKind::hidden)
          answer[e] = R::to_input(w, x[e], gap, back).times(answer[e]);
      }
      weights.store(belief, row * stride + c);
    }
    if constexpr (kInputs == InputKind::hidden)
      for (size_t e = 0; e < kExamples; ++e) {
        work.x_tau[e * work.x_stride + row] = sum_of_lanes(answer[e].tau);
        work.x_rho[e * work.x_stride + row] = sum_of_lanes(answer[e].rho);
      }
  }
}

// --- lanes across inputs: a row is a unit ------------------------------------------------------------

template <bool kKnown, size_t kExamples, class T>
void forward_inputs_across(Weights<T> weights, LayerWork<T> work, Range rows) {
  using L = EdgeLane<T>;
  const size_t stride = weights.layout.stride;
  for (size_t row = rows.first; row < rows.end; ++row) {
    Moments<L> sum[kExamples];
    for (size_t e = 0; e < kExamples; ++e) sum[e] = {L(0), L(0)};
    for (size_t c = 0; c < stride; c += edge_lanes<T>()) {
      const Moments<L> w = proper_moments(weights.template load<L>(row * stride + c));
      for (size_t e = 0; e < kExamples; ++e)
        sum[e] = Product::add_forward<kKnown>(sum[e], w, operand_at<L>(work, e * stride + c));
    }
    for (size_t e = 0; e < kExamples; ++e) {
      work.s_mean[e * work.s_stride + row] = sum_of_lanes(sum[e].mean);
      work.s_variance[e * work.s_stride + row] = sum_of_lanes(sum[e].variance);
    }
  }
}

template <class R, InputKind kInputs, size_t kExamples, class T>
void backward_inputs_across(Weights<T> weights, LayerWork<T> work, T power_of_all, Range columns) {
  using L = EdgeLane<T>;
  const L power = L::all(power_of_all);
  const size_t stride = weights.layout.stride;
  for (size_t e = 0; e < kExamples; ++e)
    for (T* const sums : {work.x_tau + e * stride, work.x_rho + e * stride})
      std::fill(sums + columns.first, sums + columns.end, T{0});
  for (size_t row = 0; row < weights.layout.rows; ++row) {
    Product::SumBack<L> back[kExamples];
    for (size_t e = 0; e < kExamples; ++e) back[e] = back_of_all<L>(work, e * work.s_stride + row);
    for (size_t c = columns.first; c < columns.end; c += edge_lanes<T>()) {
      Message<L> belief = weights.template load<L>(row * stride + c);
      const Moments<L> w = proper_moments(belief);
      for (size_t e = 0; e < kExamples; ++e) {
        const size_t at = e * stride + c;
        const auto x = R::prepare(operand_at<L>(work, at), power);
        const L gap = Product::gap_in_sum(w.mean, x.mean, back[e]);
        belief = R::to_weight(w, x, gap, back[e], power).times(belief);
        if constexpr (kInputs == InputKind::hidden) {
          const Message<L> answer =
              R::to_input(w, x, gap, back[e])
                  .times({L::load(work.x_tau + at), L::load(work.x_rho + at)});
          answer.tau.store(work.x_tau + at);
          answer.rho.store(work.x_rho + at);
        }
      }
      weights.store(belief, row * stride + c);
    }
  }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_WEIGHTS_INL_H_
