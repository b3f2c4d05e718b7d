// Passes over the units of one layer: from sums to activations, and back.
#include "factor/leaky_relu-inl.h"
#include "sweep/tag-inl.h"

#if defined(POSTRIDER_SWEEP_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_UNITS_INL_H_
#undef POSTRIDER_SWEEP_UNITS_INL_H_
#else
#define POSTRIDER_SWEEP_UNITS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
using UnitLane = Lane<SweepTag<T>>;

// A message whose precision is below this share of the forward message's is treated as uniform: no
// digit of any belief could show it, and its variance might not be a number of the type.
inline constexpr double kFaintest = 1e-25;
// The forward message along the sums, with the activation prior where there is one.
template <class T>
void multiply_activation_prior(const SweepLayer& layer, const LayerWork<T>& work, size_t examples) {
  using L = UnitLane<T>;
  const L precision(layer.activation_precision);
  for (size_t i = 0; i < examples * work.s_stride; i += hn::Lanes(hn::ScalableTag<T>())) {
    const L mean = L::load(work.s_mean + i), variance = L::load(work.s_variance + i);
    const L shrink = L(1) / multiply_add(precision, variance, L(1));
    (mean * shrink).store(work.front_mean + i);
    (variance * shrink).store(work.front_variance + i);
  }
}

// Fills a vector of inputs of the layer above. Its callers are flattened, as on the way back: what nobody
// reads, such as the scale of a message, then costs nothing.
template <class T>
HWY_INLINE void forward_unit_vector(const LeakyRelu& relu, const LayerWork<T>& work, size_t at,
                                    const LayerWork<T>& above, size_t above_at) {
  using L = UnitLane<T>;
  const Moments<L> front{L::load(work.front_mean + at), L::load(work.front_variance + at)};
  Moments<L> x = front;
  if (relu.slope != 1) {
    const LeakyRelu::Forward<L> went = relu.forward(front);
    went.mean_slope.store(work.mean_slope + at);
    x = went.y;
  }
  x.mean.store(above.x_mean + above_at);
  x.variance.store(above.x_variance + above_at);
  multiply_add(x.mean, x.mean, x.variance).store(above.x_square + above_at);
}

template <class T>
HWY_FLATTEN void forward_units(const SweepLayer& layer, const LayerWork<T>& work,
                               const LayerWork<T>& above, bool above_has_bias, size_t examples) {
  const LeakyRelu relu{layer.slope};
  for (size_t e = 0; e < examples; ++e) {
    const size_t above_first = e * above.x_stride;
    for (size_t i = 0; i < layer.units; i += hn::Lanes(hn::ScalableTag<T>()))
      forward_unit_vector(relu, work, e * work.s_stride + i, above, above_first + i);
    // The padding of the units holds no numbers of interest.
    for (size_t i = above_first + layer.units; i < above_first + above.x_stride; ++i)
      above.x_mean[i] = above.x_variance[i] = above.x_square[i] = T{0};
    if (above_has_bias)
      above.x_mean[above_first + layer.units] = above.x_square[above_first + layer.units] = T{1};
  }
}

// Stores what comes back to sums in the form the products take.
template <class T>
HWY_INLINE void store_back(const LayerWork<T>& work, size_t at, Mask<UnitLane<T>> informed,
                           const Answer<UnitLane<T>>& back) {
  using L = UnitLane<T>;
  select(informed, back.shift, L(0)).store(work.c0 + at);
  select(informed, back.variance + L::load(work.s_variance + at), L(kVague)).store(work.c1 + at);
  select(informed, back.variance, L(kVague)).store(work.least + at);
}

// What became of a vector of activations.
template <class T>
struct UnitEvents {
  Mask<UnitLane<T>> linearised, informed;
};

// Whether the guard of tilted messages is computed only if a unit of the vector asks for it. A jump that is
// not foreseen throws away the next vector's work; where some unit nearly always asks, there is none.
enum class Guard { when_asked, always };

// The conditioned answers of a vector of units.
template <Guard kGuard, class T>
HWY_INLINE Answer<UnitLane<T>> tilted_answer(const LeakyRelu& relu, const LayerWork<T>& work,
                                             const LayerWork<T>& above, size_t at, size_t above_at,
                                             const Moments<UnitLane<T>>& front,
                                             const Message<UnitLane<T>>& said, UnitLane<T> prior,
                                             UnitEvents<T>& events) {
  using L = UnitLane<T>;
  const L sum_mean = L::load(work.s_mean + at);
  const Roots<L> deviation = roots(front.variance);
  const Tilt<L> tilt = relu.tilted_proper(deviation, front, said);
  const Answer<L> tilted = answer_of(tilt, front, deviation.root, prior, sum_mean);
  events.linearised = events.informed & !(tilt.curvature >= smallest_normal<L>());
  if (kGuard == Guard::when_asked && !any(events.linearised)) return tilted;
  const LeakyRelu::Forward<L> went{
      {L::load(above.x_mean + above_at), L::load(above.x_variance + above_at)},
      L::load(work.mean_slope + at)};
  return select(
      events.linearised,
      answer_of(relu.linearised_proper(front, went, said), front.variance, prior, sum_mean),
      tilted);
}

// From the answers that the layer above left at its inputs; only `valid` lanes are units.
template <Guard kGuard, class T>
HWY_INLINE UnitEvents<T> backward_unit_vector(const LeakyRelu& relu, double activation_precision,
                                              Rule rule, const LayerWork<T>& work, size_t at,
                                              const LayerWork<T>& above, size_t above_at,
                                              Mask<UnitLane<T>> valid) {
  using L = UnitLane<T>;
  const L prior(activation_precision);
  const Moments<L> front{L::load(work.front_mean + at), L::load(work.front_variance + at)};
  const Message<L> said{L::load(above.x_tau + above_at), L::load(above.x_rho + above_at)};
  UnitEvents<T> events{valid & !valid, valid & (said.rho * front.variance > L(kFaintest))};
  Answer<L> back;
  if (relu.slope != 1 && rule != Rule::direct) {
    back = tilted_answer<kGuard>(relu, work, above, at, above_at, front, said, prior, events);
  } else {
    Message<L> message = select(events.informed, said, Message<L>{L(0), L(1)});
    if (relu.slope != 1) message = relu.direct(message).message;
    back = answer_of(message, front.variance, prior, L::load(work.s_mean + at));
  }
  events.informed = events.informed & (back.strength > L(kFaintest));
  store_back(work, at, events.informed, back);
  return events;
}

template <class T>
HWY_FLATTEN void backward_units(const SweepLayer& layer, const LayerWork<T>& work,
                                const LayerWork<T>& above, Rule rule, size_t examples,
                                SweepRecord& record) {
  const LeakyRelu relu{layer.slope};
  for (size_t e = 0; e < examples; ++e)
    for (size_t i = 0; i < work.s_stride; i += hn::Lanes(hn::ScalableTag<T>())) {
      const auto valid = first_lanes<SweepTag<T>>(layer.units - std::min(i, layer.units));
      const UnitEvents<T> found = backward_unit_vector<Guard::when_asked>(
          relu, layer.activation_precision, rule, work, e * work.s_stride + i, above,
          e * above.x_stride + i, valid);
      record.linearised += count(found.linearised);
      record.silent += count(valid) - count(found.informed);
    }
}

// From the targets through Gaussian noise. The padding was made vague with the workspace.
template <class T>
void backward_outputs(const SweepLayer& layer, const LayerWork<T>& work, size_t example,
                      const T* targets, const T* noise_variance) {
  const T precision = static_cast<T>(layer.activation_precision);
  for (size_t i = 0; i < layer.units; ++i) {
    const size_t at = example * work.s_stride + i;
    const bool informed = targets[i] == targets[i];
    const T shrink = precision > 0 ? 1 / (1 + precision * noise_variance[i]) : 1;
    work.least[at] = informed ? noise_variance[i] * shrink : static_cast<T>(kVague);
    work.c0[at] = informed ? targets[i] * shrink - work.s_mean[at] : 0;
    work.c1[at] = informed ? work.least[at] + work.s_variance[at] : static_cast<T>(kVague);
  }
}

// To the sums below the outputs, the activation prior comes back with what was said of them.
template <class T>
void include_activation_prior(const SweepLayer& layer, const LayerWork<T>& work, size_t first,
                              const OutputBack<T>& back) {
  const T precision = static_cast<T>(layer.activation_precision);
  for (size_t i = 0; precision > 0 && i < back.least.size(); ++i) {
    if (!(back.least[i] < static_cast<T>(kVague))) continue;
    const T shrink = 1 / (1 + precision * back.least[i]);
    const T mean = work.front_mean[first + i] + back.shift[i];
    back.least[i] *= shrink;
    back.shift[i] = mean * shrink - work.s_mean[first + i];
    back.spread[i] = back.least[i] + work.s_variance[first + i];
  }
}

// From the targets through an observation, which sees the outputs with their activation prior.
template <class T>
Observed backward_observed(const SweepLayer& layer, const LayerWork<T>& work, size_t example,
                           std::span<const T> targets, const SweepOptions<T>& options,
                           SweepRecord& record) {
  const size_t first = example * work.s_stride;
  const auto of_example = [&](T* array) { return std::span<T>(array + first, layer.units); };
  const OutputBack<T> back{of_example(work.c0), of_example(work.c1), of_example(work.least)};
  const Observed observed =
      options.observation->observe({of_example(work.front_mean), of_example(work.front_variance),
                                    targets, options.noise_variance},
                                   back, record);
  include_activation_prior(layer, work, first, back);
  return observed;
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_UNITS_INL_H_
