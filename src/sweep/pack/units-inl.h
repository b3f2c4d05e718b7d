// Passes of a pack over the units of one layer: from sums to activations, and back; and from the targets.
#include "sweep/pack/kernels.h"
#include "sweep/units-inl.h"

#if defined(POSTRIDER_SWEEP_PACK_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_PACK_UNITS_INL_H_
#undef POSTRIDER_SWEEP_PACK_UNITS_INL_H_
#else
#define POSTRIDER_SWEEP_PACK_UNITS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
HWY_FLATTEN void forward_pack_activations(const SweepLayer& layer, const LayerWork<T>& work,
                                          const LayerWork<T>& above, size_t examples) {
  const LeakyRelu relu{layer.slope};
  for (size_t e = 0; e < examples; ++e)
    for (size_t i = 0; i < work.s_stride; i += hn::Lanes(hn::ScalableTag<T>()))
      forward_unit_vector(relu, work, e * work.s_stride + i, above, e * above.x_stride + i);
}

template <class T>
HWY_INLINE void count_lanes(std::array<T, kPack>& counts, size_t lane, Mask<UnitLane<T>> which) {
  using L = UnitLane<T>;
  (L::load(&counts[lane]) + select(which, L(1), L(0))).store(&counts[lane]);
}

template <class T>
HWY_FLATTEN void backward_pack_activations(const SweepLayer& layer, const LayerWork<T>& work,
                                           const LayerWork<T>& above, Rule rule, size_t examples,
                                           PackCounts<T>& counts) {
  const LeakyRelu relu{layer.slope};
  const auto all = first_lanes<SweepTag<T>>(kPack);
  for (size_t e = 0; e < examples; ++e)
    for (size_t i = 0; i < work.s_stride; i += hn::Lanes(hn::ScalableTag<T>())) {
      const auto found = backward_unit_vector<Guard::always>(relu, layer.activation_precision, rule,
                                                             work, e * work.s_stride + i, above,
                                                             e * above.x_stride + i, all);
      count_lanes(counts.linearised, i % kPack, found.linearised);
      count_lanes(counts.silent, i % kPack, !found.informed);
    }
}

// The targets of one example, kPack for each, and not numbers where a network has no row.
template <class T>
std::span<const T> pack_targets(const PackCall<T>& call, std::span<const uint32_t> rows,
                                size_t per_row) {
  AlignedVector<T>& out = call.workspace.targets();
  out.resize(per_row * kPack);
  for (size_t network = 0; network < kPack; ++network) {
    const size_t first = rows[network] * per_row;
    const bool none = rows[network] == kNoRow;
    for (size_t k = 0; k < per_row; ++k)
      out[k * kPack + network] = none ? std::numeric_limits<T>::quiet_NaN()
                                      : call.data.examples[network].targets[first + k];
  }
  return out;
}

// Through Gaussian noise.
template <class T>
void backward_pack_gaussian(const SweepLayer& layer, const LayerWork<T>& work, size_t example,
                            std::span<const T> targets, std::span<const T> noise_variance) {
  using L = UnitLane<T>;
  const L precision(layer.activation_precision);
  for (size_t i = 0; i < work.s_stride; i += hn::Lanes(hn::ScalableTag<T>())) {
    const L target = L::load(&targets[i]), noise = L::load(&noise_variance[i]);
    const L shrink = L(1) / multiply_add(precision, noise, L(1));
    const size_t at = example * work.s_stride + i;
    store_back(work, at, target == target,
               Answer<L>{target * shrink - L::load(work.s_mean + at), noise * shrink, L(1)});
  }
}

// Outputs that are told what was said without the group.
template <class T>
size_t first_left_out(const PackCall<T>& call, const PackLearnOptions<T>& options) {
  const size_t outputs = call.layers.back().units;
  return options.observation == nullptr ? outputs
                                        : options.observation->first_left_out_output(outputs);
}

// Keeps what comes back to these outputs of an example, as N(mean, variance), at the place of its step of the group.
template <class T>
void keep_left_out(const PackCall<T>& call, const PackLearnOptions<T>& options, size_t example,
                   size_t step) {
  const LayerWork<T>& work = call.workspace.layers().back();
  const size_t first = kPack * first_left_out(call, options), count = work.s_stride - first;
  const size_t from = example * work.s_stride + first;
  AlignedVector<T>& kept = call.workspace.left_out();
  if (kept.size() < 2 * (step + 1) * count) kept.resize(2 * (step + 1) * count);
  for (size_t i = 0; i < count; ++i) {
    kept[2 * step * count + i] = work.s_mean[from + i] + work.c0[from + i];
    kept[(2 * step + 1) * count + i] = work.least[from + i];
  }
}

template <class T>
void use_left_out(const PackCall<T>& call, const PackLearnOptions<T>& options, size_t example,
                  size_t step) {
  using L = UnitLane<T>;
  const LayerWork<T>& work = call.workspace.layers().back();
  const size_t first = kPack * first_left_out(call, options), count = work.s_stride - first;
  const AlignedVector<T>& kept = call.workspace.left_out();
  for (size_t i = 0; i < count; i += hn::Lanes(hn::ScalableTag<T>())) {
    const L variance = L::load(&kept[(2 * step + 1) * count + i]);
    const size_t at = example * work.s_stride + first + i;
    const L shift = L::load(&kept[2 * step * count + i]) - L::load(work.s_mean + at);
    store_back(work, at, variance < L(kVague), Answer<L>{shift, variance, L(1)});
  }
}

// What the targets say is learned from, or tells how well they were predicted, or both.
enum class Observing { to_learn, to_predict, for_both };

template <class T>
void backward_pack_outputs(const PackCall<T>& call, const PackLearnOptions<T>& options,
                           size_t example, std::span<const uint32_t> rows, Observing observing) {
  const SweepLayer& layer = call.layers.back();
  const LayerWork<T>& work = call.workspace.layers().back();
  if (options.observation == nullptr && observing == Observing::to_predict) return;
  if (options.observation == nullptr)
    return backward_pack_gaussian(layer, work, example, pack_targets(call, rows, layer.units),
                                  options.noise_variance);
  const size_t first = example * work.s_stride;
  const auto of_example = [&](T* array) { return std::span<T>(array + first, work.s_stride); };
  const OutputBack<T> back{of_example(work.c0), of_example(work.c1), of_example(work.least)};
  const PackObserved found = options.observation->observe_pack(
      {of_example(work.front_mean), of_example(work.front_variance),
       pack_targets(call, rows, options.observation->targets_per_row()), options.noise_variance},
      back);
  include_activation_prior(layer, work, first, back);
  for (size_t network = 0; network < kPack; ++network) {
    if (observing != Observing::to_predict)
      call.workspace.counts.guarded[network] += static_cast<T>(found.guarded[network]);
    if (observing == Observing::to_learn) continue;
    const std::span<Observed> kept = call.data.predictions[network].observed;
    if (rows[network] != kNoRow && !kept.empty()) kept[rows[network]] = found.observed[network];
  }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_PACK_UNITS_INL_H_
