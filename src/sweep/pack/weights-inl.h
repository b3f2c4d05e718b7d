// Passes of a pack over the weights of one layer, forwards and backwards, for the examples in flight.
//
// A weight is kPack neighbouring numbers, one of each network; weights are in the order units, inputs,
// bias. Several units are swept at a time: inputs, and what is answered to them, are then read and
// written once for all of these, and sums do not wait for each other.
#include "sweep/pack/kernels.h"
#include "sweep/weights-inl.h"

#if defined(POSTRIDER_SWEEP_PACK_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_PACK_WEIGHTS_INL_H_
#undef POSTRIDER_SWEEP_PACK_WEIGHTS_INL_H_
#else
#define POSTRIDER_SWEEP_PACK_WEIGHTS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

template <class T>
struct PackWeights {
  T *tau, *rho;
  T *stored_tau, *stored_rho;    // what the group said
  const T *next_tau, *next_rho;  // what the next group said
  const T* least;
  size_t fan_in, units;
  const T* damping;  // of each network, the share of its stored message that is not taken out
  T* bounded;        // counts, one for each network

  // Messages stream from memory. They are asked for a group ahead, a half of each on the way forward and
  // on the way back, and wait in the second-level cache.
  HWY_INLINE void fetch_next(const T* message, size_t at) const {
    constexpr int kToRead = 0, kSecondLevel = 2;
    __builtin_prefetch(message + at, kToRead, kSecondLevel);
  }

  HWY_INLINE size_t number(size_t unit, size_t input) const { return unit * fan_in + input; }
  // Messages are about some of the inputs: the weight of the one in this place among so many.
  HWY_INLINE size_t place_in_message(size_t unit, size_t place, size_t inputs) const {
    return (unit * inputs + place) * kPack;
  }
  template <class L>
  HWY_INLINE Message<L> belief(size_t at) const {
    return {L::load(tau + at), L::load(rho + at)};
  }
  template <class L>
  HWY_INLINE Message<L> stored(size_t at) const {
    return {L::load(stored_tau + at), L::load(stored_rho + at)};
  }
  template <class L>
  HWY_INLINE void set_belief(const Message<L>& message, size_t at) const {
    message.tau.store(tau + at);
    message.rho.store(rho + at);
  }
  template <class L>
  HWY_INLINE void set_stored(const Message<L>& message, size_t at) const {
    message.tau.store(stored_tau + at);
    message.rho.store(stored_rho + at);
  }
};

// How a pass meets the group's stored message: it was taken out before; the group has this one row, whose
// passes take it out and store it anew; or the row is predicted without it, and nothing is changed.
enum class Group { of_several, of_one, left_out };

// The belief without the share of the group's message that is said anew; no less precise than the priors,
// which rounding might break.
template <class L, class T>
HWY_INLINE Message<L> without_stored(const PackWeights<T>& weights, size_t number, size_t lane,
                                     const Message<L>& stored, L share) {
  const size_t at = number * kPack + lane;
  const L least = L::all(weights.least[number]);
  const Message<L> belief = weights.template belief<L>(at);
  const Message<L> left{multiply_subtract(share, stored.tau, belief.tau),
                        multiply_subtract(share, stored.rho, belief.rho)};
  const auto broken = left.rho < least;
  if (HWY_UNLIKELY(any(broken)))
    (L::load(weights.bounded + lane) + select(broken, L(1), L(0))).store(weights.bounded + lane);
  return {left.tau, maximum(left.rho, least)};
}

// What a forward pass reads of a weight, as moments. The share is what the group says anew.
template <Group kGroup, class L, class T>
HWY_INLINE Moments<L> forward_weight(const PackWeights<T>& weights, size_t number,
                                     size_t in_message, size_t lane, L share) {
  const size_t at = number * kPack + lane;
  if constexpr (kGroup == Group::of_several) return proper_moments(weights.template belief<L>(at));
  const Message<L> stored = weights.template stored<L>(in_message);
  if constexpr (kGroup == Group::left_out) {
    const Message<L> belief = weights.template belief<L>(at);
    return proper_moments(Message<L>{
        belief.tau - stored.tau, maximum(belief.rho - stored.rho, L::all(weights.least[number]))});
  }
  weights.fetch_next(weights.next_tau, in_message);
  const Message<L> left = without_stored<L>(weights, number, lane, stored, share);
  weights.set_belief(left, at);
  return proper_moments(left);
}

// --- forwards ------------------------------------------------------------------------------------------

// The sums of kUnits units. Inputs of zero that are left out leave no trace in them: a network's sums do
// not depend on which inputs others have.
template <Group kGroup, bool kKnown, size_t kUnits, size_t kExamples, class T>
HWY_INLINE void forward_pack_units(const PackWeights<T>& weights, const LayerWork<T>& work,
                                   size_t unit, size_t lane, std::span<const uint32_t> rows) {
  using L = EdgeLane<T>;
  const L share = L(1) - L::load(weights.damping + lane);
  Moments<L> sum[kUnits][kExamples];
  for (auto& of_unit : sum)
    for (Moments<L>& of_example : of_unit) of_example = {L(0), L(0)};
  for (size_t place = 0; place < rows.size(); ++place) {
    const uint32_t row = rows[place];
    Product::Operand<L> x[kExamples];
    for (size_t e = 0; e < kExamples; ++e)
      x[e] = operand_at<L>(work, e * work.x_stride + row * kPack + lane);
    for (size_t u = 0; u < kUnits; ++u) {
      const Moments<L> w = forward_weight<kGroup>(
          weights, weights.number(unit + u, row),
          weights.place_in_message(unit + u, place, rows.size()) + lane, lane, share);
      for (size_t e = 0; e < kExamples; ++e)
        sum[u][e] = Product::add_forward<kKnown>(sum[u][e], w, x[e]);
    }
  }
  for (size_t u = 0; u < kUnits; ++u)
    for (size_t e = 0; e < kExamples; ++e) {
      const size_t at = e * work.s_stride + (unit + u) * kPack + lane;
      sum[u][e].mean.store(work.s_mean + at);
      sum[u][e].variance.store(work.s_variance + at);
    }
}

// Examples one by one are swept over this many units at a time.
inline constexpr size_t kUnitsAtOnce = 4;

template <Group kGroup, bool kKnown, size_t kExamples, class T>
void forward_pack(const PackWeights<T>& weights, const LayerWork<T>& work,
                  std::span<const uint32_t> rows) {
  constexpr size_t kUnits = kExamples == 1 ? kUnitsAtOnce : 1;
  for (size_t lane = 0; lane < kPack; lane += edge_lanes<T>()) {
    size_t unit = 0;
    for (; unit + kUnits <= weights.units; unit += kUnits)
      forward_pack_units<kGroup, kKnown, kUnits, kExamples>(weights, work, unit, lane, rows);
    for (; unit < weights.units; ++unit)
      forward_pack_units<kGroup, kKnown, 1, kExamples>(weights, work, unit, lane, rows);
  }
}

// --- backwards -----------------------------------------------------------------------------------------

// The belief with what all examples say; the group's new message if this is all of it.
template <Group kGroup, class L, class T>
HWY_INLINE void set_weight(const PackWeights<T>& weights, size_t at, size_t in_message,
                           const Message<L>& before, const Message<L>& after, L kept) {
  weights.set_belief(after, at);
  if constexpr (kGroup == Group::of_one) {
    weights.fetch_next(weights.next_rho, in_message);
    const Message<L> old = weights.template stored<L>(in_message);
    weights.set_stored(Message<L>{multiply_add(kept, old.tau, after.tau - before.tau),
                                  multiply_add(kept, old.rho, after.rho - before.rho)},
                       in_message);
  }
}

// What examples say of the weights of one input, unit by unit, and of the input itself.
template <class R, InputKind kInputs>
struct PackRule {
  template <class L>
  using Input = typename R::template Input<L>;
  template <class L>
  using Back = Product::SumBack<L>;
  template <class L>
  static HWY_INLINE Back<L> prepare(Product::SumBack<L> back) {
    return back;
  }
  template <class L, size_t kUnits>
  struct Weights {
    Moments<L> w[kUnits];
    explicit HWY_INLINE Weights(const Message<L> (&before)[kUnits]) {
      for (size_t u = 0; u < kUnits; ++u) w[u] = proper_moments(before[u]);
    }
    HWY_INLINE void hear(const Input<L>& x, const Back<L> (&back)[kUnits], L power,
                         Message<L> (&after)[kUnits], Message<L>& answer) const {
      for (size_t u = 0; u < kUnits; ++u) {
        const L gap = Product::gap_in_sum(w[u].mean, x.mean, back[u]);
        after[u] = R::to_weight(w[u], x, gap, back[u], power).times(after[u]);
        if constexpr (kInputs == InputKind::hidden)
          answer = R::to_input(w[u], x, gap, back[u]).times(answer);
      }
    }
  };
};

// Where nobody wants an answer, the conditioned rule does without the moments of weights: one reciprocal
// less. Each step is taken for all units before the next, so that few instructions wait for the one before.
template <>
struct PackRule<Conditioned, InputKind::given> {
  template <class L>
  using Back = Product::ScaledSumBack<L>;
  template <class L>
  static HWY_INLINE Back<L> prepare(Product::SumBack<L> back) {
    return Product::scaled_back(back);
  }
  template <class L, size_t kUnits>
  struct Weights {
    Message<L> before[kUnits];
    explicit HWY_INLINE Weights(const Message<L> (&of)[kUnits]) {
      for (size_t u = 0; u < kUnits; ++u) before[u] = of[u];
    }
    HWY_INLINE void hear(const Conditioned::Input<L>& x, const Back<L> (&back)[kUnits], L /*power*/,
                         Message<L> (&after)[kUnits], Message<L>& /*answer*/) const {
      Gain<L> gain[kUnits];
      for (size_t u = 0; u < kUnits; ++u)
        gain[u] = Product::conditioned_in_sum(before[u], x.mean, back[u], x.powered);
      for (size_t u = 0; u < kUnits; ++u) after[u] = gain[u].times(after[u]);
    }
  };
};

template <class R, InputKind kInputs, Group kGroup, size_t kUnits, size_t kExamples, class T>
HWY_INLINE void backward_pack_units(const PackWeights<T>& weights, const LayerWork<T>& work,
                                    const T* powers, size_t unit, size_t lane,
                                    std::span<const uint32_t> rows) {
  using L = EdgeLane<T>;
  using Of = PackRule<R, kInputs>;
  typename Of::template Back<L> back[kExamples][kUnits];
  for (size_t e = 0; e < kExamples; ++e)
    for (size_t u = 0; u < kUnits; ++u)
      back[e][u] = Of::prepare(back_at<L>(work, e * work.s_stride + (unit + u) * kPack + lane));
  const L kept = L::load(weights.damping + lane);
  L power[kExamples];
  for (size_t e = 0; e < kExamples; ++e) power[e] = L::load(powers + e * kPack + lane);
  for (size_t place = 0; place < rows.size(); ++place) {
    const uint32_t row = rows[place];
    const size_t first = weights.number(unit, row) * kPack + lane, apart = weights.fan_in * kPack;
    Message<L> before[kUnits], after[kUnits];
    for (size_t u = 0; u < kUnits; ++u)
      after[u] = before[u] = weights.template belief<L>(first + u * apart);
    const typename Of::template Weights<L, kUnits> own(before);
    for (size_t e = 0; e < kExamples; ++e) {
      const size_t at = e * work.x_stride + row * kPack + lane;
      const auto x = R::prepare(operand_at<L>(work, at), power[e]);
      Message<L> answer{L(0), L(0)};
      if constexpr (kInputs == InputKind::hidden)
        answer = {L::load(work.x_tau + at), L::load(work.x_rho + at)};
      own.hear(x, back[e], power[e], after, answer);
      if constexpr (kInputs == InputKind::hidden) {
        answer.tau.store(work.x_tau + at);
        answer.rho.store(work.x_rho + at);
      }
    }
    for (size_t u = 0; u < kUnits; ++u)
      set_weight<kGroup>(weights, first + u * apart,
                         weights.place_in_message(unit + u, place, rows.size()) + lane, before[u],
                         after[u], kept);
  }
}

template <class R, InputKind kInputs, Group kGroup, size_t kExamples, class T>
void backward_pack(const PackWeights<T>& weights, const LayerWork<T>& work, const T* powers,
                   std::span<const uint32_t> rows) {
  constexpr size_t kUnits = kExamples == 1 ? kUnitsAtOnce : 1;
  if constexpr (kInputs == InputKind::hidden)
    for (T* const answers : {work.x_tau, work.x_rho})
      std::fill_n(answers, kExamples * work.x_stride, T{0});
  for (size_t lane = 0; lane < kPack; lane += edge_lanes<T>()) {
    size_t unit = 0;
    for (; unit + kUnits <= weights.units; unit += kUnits)
      backward_pack_units<R, kInputs, kGroup, kUnits, kExamples>(weights, work, powers, unit, lane,
                                                                 rows);
    for (; unit < weights.units; ++unit)
      backward_pack_units<R, kInputs, kGroup, 1, kExamples>(weights, work, powers, unit, lane,
                                                            rows);
  }
}

// --- groups of several rows ----------------------------------------------------------------------------

// Takes the group's message out of the beliefs, and keeps in its place what the beliefs would be without
// all of it.
template <class T>
void take_out_group(const PackWeights<T>& weights, std::span<const uint32_t> rows) {
  using L = EdgeLane<T>;
  for (size_t unit = 0; unit < weights.units; ++unit)
    for (size_t place = 0; place < rows.size(); ++place)
      for (size_t lane = 0; lane < kPack; lane += edge_lanes<T>()) {
        const size_t number = weights.number(unit, rows[place]);
        const size_t in_message = weights.place_in_message(unit, place, rows.size()) + lane;
        const L kept = L::load(weights.damping + lane);
        const Message<L> stored = weights.template stored<L>(in_message);
        const Message<L> left = without_stored<L>(weights, number, lane, stored, L(1) - kept);
        weights.set_belief(left, number * kPack + lane);
        const L rho = multiply_subtract(kept, stored.rho, left.rho);
        weights.set_stored(Message<L>{multiply_subtract(kept, stored.tau, left.tau),
                                      maximum(rho, L::all(weights.least[number]))},
                           in_message);
      }
}

// Puts what then lies in the message's place where a forward pass looks for beliefs.
template <class T>
void spread_message(const PackWeights<T>& weights, std::span<const uint32_t> rows, T* tau, T* rho) {
  for (size_t unit = 0; unit < weights.units; ++unit)
    for (size_t place = 0; place < rows.size(); ++place) {
      const size_t at = weights.number(unit, rows[place]) * kPack;
      const size_t in_message = weights.place_in_message(unit, place, rows.size());
      std::copy_n(weights.stored_tau + in_message, kPack, tau + at);
      std::copy_n(weights.stored_rho + in_message, kPack, rho + at);
    }
}

// The group's message is what the beliefs have beyond that.
template <class T>
void store_group(const PackWeights<T>& weights, std::span<const uint32_t> rows) {
  using L = EdgeLane<T>;
  for (size_t unit = 0; unit < weights.units; ++unit)
    for (size_t place = 0; place < rows.size(); ++place)
      for (size_t lane = 0; lane < kPack; lane += edge_lanes<T>()) {
        const size_t in_message = weights.place_in_message(unit, place, rows.size()) + lane;
        const Message<L> belief =
            weights.template belief<L>(weights.number(unit, rows[place]) * kPack + lane);
        const Message<L> without = weights.template stored<L>(in_message);
        weights.set_stored(Message<L>{belief.tau - without.tau, belief.rho - without.rho},
                           in_message);
      }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_PACK_WEIGHTS_INL_H_
