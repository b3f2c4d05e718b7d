// The way back over the weights of one layer for a whole block of examples, conditioned rule, floats,
// lanes across units: what large networks spend most of their time in.
//
// A block changes each weight once, and each input is answered once per row, so that only sums over
// examples and over units are needed (Product::Shares). Most terms are a small part of their sum; these
// need no reciprocal of their own. The others take the exact form, a vector of weights at a time.
#include "sweep/weights-inl.h"

#if defined(POSTRIDER_SWEEP_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_BLOCK_INL_H_
#undef POSTRIDER_SWEEP_BLOCK_INL_H_
#else
#define POSTRIDER_SWEEP_BLOCK_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// What comes back to the units of a tile, in the form that small terms take, example by example.
template <size_t kExamples, class T>
struct BackTile {
  HWY_ALIGN_MAX T precision[kExamples * kTileColumns];  // 1/c1
  HWY_ALIGN_MAX T shift[kExamples * kTileColumns];      // c0/c1
  HWY_ALIGN_MAX T most[kTileColumns];                   // the largest 1/c1 of the examples
};

template <size_t kExamples, class T>
HWY_INLINE void fill_tile(const LayerWork<T>& work, Range columns, BackTile<kExamples, T>& tile) {
  using L = EdgeLane<T>;
  for (size_t c = columns.first; c < columns.end; c += edge_lanes<T>()) {
    L most(0);
    for (size_t e = 0; e < kExamples; ++e) {
      const Product::SumBack<L> back = back_at<L>(work, e * work.s_stride + c);
      const L precision = L(1) / back.c1;
      const size_t to = e * kTileColumns + c - columns.first;
      precision.store(tile.precision + to);
      (precision * back.c0).store(tile.shift + to);
      most = maximum(most, precision);
    }
    most.store(tile.most + (c - columns.first));
  }
}

// The inputs of one row, example by example, and the largest of them.
template <size_t kExamples, class T>
struct InputMoments {
  T mean[kExamples], square[kExamples], variance[kExamples];  // the square is that of the mean
  T largest_square = 0, largest_variance = 0;
};

template <size_t kExamples, class T>
HWY_INLINE InputMoments<kExamples, T> row_inputs(const LayerWork<T>& work, size_t row) {
  InputMoments<kExamples, T> out;
  for (size_t e = 0; e < kExamples; ++e) {
    out.mean[e] = work.x_mean[e * work.x_stride + row];
    out.variance[e] = work.x_variance[e * work.x_stride + row];
    out.square[e] = out.mean[e] * out.mean[e];
    out.largest_square = std::max(out.largest_square, out.square[e]);
    out.largest_variance = std::max(out.largest_variance, out.variance[e]);
  }
  return out;
}

// Adds the sums of the lanes of 2 kExamples vectors to arrays, at distances of a stride.
template <bool kStart, size_t kExamples, class L, class T>
HWY_INLINE void add_answers(const Product::Shares<L>* answer, const LayerWork<T>& work,
                            size_t row) {
  for (size_t e = 0; e < kExamples; ++e) {
    T& rho = work.x_rho[e * work.x_stride + row];
    T& tau = work.x_tau[e * work.x_stride + row];
    const T more_rho = sum_of_lanes(answer[e].share), more_tau = sum_of_lanes(answer[e].shift);
    rho = kStart ? more_rho : rho + more_rho;
    tau = kStart ? more_tau : tau + more_tau;
  }
}

// One row of a tile.
template <InputKind kInputs, bool kStart, size_t kExamples, class T>
HWY_INLINE void backward_row(Weights<T> weights, const LayerWork<T>& work, size_t row,
                             size_t next_row, T power_of_all, Range columns,
                             const BackTile<kExamples, T>& tile) {
  using L = EdgeLane<T>;
  using Shares = Product::Shares<L>;
  const InputMoments<kExamples, T> x = row_inputs<kExamples>(work, row);
  const L power = L::all(power_of_all), small(Product::kSmallPart);
  const size_t stride = weights.layout.stride;
  Shares answer[kExamples];
  for (size_t e = 0; e < kExamples; ++e) answer[e] = {L(0), L(0)};
  for (size_t c = columns.first; c < columns.end; c += edge_lanes<T>()) {
    const size_t at = row * stride + c, in_tile = c - columns.first;
    weights.prefetch(next_row * stride + c);
    const Message<L> belief = weights.template load<L>(at);
    const Moments<L> w = proper_moments(belief);
    const L square = w.mean * w.mean;
    Shares shares{L(0), L(0)};
    L part = w.variance * L::all(x.largest_square);
    if constexpr (kInputs == InputKind::hidden)
      part = maximum(part, square * L::all(x.largest_variance));
    if (HWY_LIKELY(all(part * L::load(tile.most + in_tile) <= small))) {
      for (size_t e = 0; e < kExamples; ++e) {
        const size_t from = e * kTileColumns + in_tile;
        const Product::QuickBack<L> back{L::load(tile.precision + from),
                                         L::load(tile.shift + from)};
        shares = Product::add_small_share(shares, w.variance, L::all(x.mean[e]),
                                          L::all(x.square[e]), back);
        if constexpr (kInputs == InputKind::hidden)
          answer[e] =
              Product::add_small_precision(answer[e], L::all(x.variance[e]), w.mean, square, back);
      }
    } else {
      for (size_t e = 0; e < kExamples; ++e) {
        const Product::SumBack<L> back = back_at<L>(work, e * stride + c);
        shares =
            Product::add_share(shares, w.variance, L::all(x.mean[e]), L::all(x.square[e]), back);
        if constexpr (kInputs == InputKind::hidden)
          answer[e] =
              Product::add_precision(answer[e], L::all(x.variance[e]), w.mean, square, back);
      }
    }
    weights.store(shares.times(belief, power), at);
  }
  if constexpr (kInputs == InputKind::hidden) add_answers<kStart, kExamples>(answer, work, row);
}

template <InputKind kInputs, size_t kExamples, class T>
void backward_block(Weights<T> weights, LayerWork<T> work, std::span<const uint32_t> rows,
                    T power) {
  const Range all{0, weights.layout.stride};
  for_each_tile(all, [&](Range columns) HWY_ATTR {
    BackTile<kExamples, T> tile;
    fill_tile(work, columns, tile);
    for (size_t r = 0; r < rows.size(); ++r) {
      const size_t next = rows[std::min(r + 1, rows.size() - 1)];
      if (columns.first == 0)
        backward_row<kInputs, true>(weights, work, rows[r], next, power, columns, tile);
      else
        backward_row<kInputs, false>(weights, work, rows[r], next, power, columns, tile);
    }
  });
  if constexpr (kInputs == InputKind::hidden)
    for (size_t e = 0; e < kExamples; ++e)
      for (const uint32_t row : rows) {
        const size_t at = e * work.x_stride + row;
        work.x_tau[at] += work.x_mean[at] * work.x_rho[at];
      }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_BLOCK_INL_H_
