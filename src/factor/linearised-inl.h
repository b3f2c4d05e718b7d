// Statistical linearisation, the conditioned message of a deterministic factor y = g(x, ...):
//
//   y ~ A x + offset + noise,   A = Cov(y, x)/Var(x),   offset = E[y] - A E[x],
//   Var(noise) = Var(y) - A^2 Var(x),
//
// all under the forward messages. With N(mean_b, variance_b) coming back along y and
// d = variance_b + Var(noise) the message to x is
//
//   tau = A (mean_b - offset)/d,   rho = A^2/d:
//
// never negative, without a division of beliefs, and exact as the inputs concentrate. The product
// factor's conditioned rule is this with A = E[the other input]; for the others it is the guard.
#include "factor/concept-inl.h"

#if defined(POSTRIDER_FACTOR_LINEARISED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_LINEARISED_INL_H_
#undef POSTRIDER_FACTOR_LINEARISED_INL_H_
#else
#define POSTRIDER_FACTOR_LINEARISED_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// A message that is a gain times (gap, slope): kept in this form so that adding it to a belief is
// two fused instructions.
template <class L>
struct Gain {
  L gain, gap, slope;

  HWY_INLINE Message<L> message() const { return {gain * gap, gain * slope}; }
  HWY_INLINE Message<L> times(Message<L> belief) const {
    return {multiply_add(gain, gap, belief.tau), multiply_add(gain, slope, belief.rho)};
  }
};

// The two formulas, for 0 < d < infinity: what a sweep over weights calls, with the power that the
// message is raised to as a factor of `powered_slope`.
template <class L>
HWY_INLINE Gain<L> linearised_core(L slope, L gap, L d, L powered_slope) {
  return {powered_slope / d, gap, slope};
}

// The same for all states of the incoming messages; gap = mean_b - offset.
template <class L>
inline Sent<L> linearised(L slope, L gap, L d) {
  const auto flat = slope == L(0);
  const auto uninformed = d > largest_finite<L>();
  const Sent<L> spoken = settled(linearised_core(slope, gap, d, slope).message(), gap / slope,
                                 d == L(0), -logarithm(absolute(slope)));
  // A flat factor says nothing about x; how probable it makes the incoming message is its scale.
  const auto contradiction = (d == L(0)) & !(gap == L(0));
  const Sent<L> silent{uniform_message<L>(), log_gaussian(gap, L(0), d),
                       select(contradiction, event_code<L>(Event::contradicted), L(0))};
  Sent<L> out = select(flat, silent, spoken);
  out.log_scale = select(is_uniform(out.message), silent.log_scale, out.log_scale);
  return select(uninformed, sent_uniform<L>(), out);
}

// The factor linearised at the forward message `front`, where its output has the moments `out` and
// the slope Cov(y, x)/Var(x).
template <class L>
struct LinearGap {
  L gap, d;
};
template <class L>
HWY_INLINE LinearGap<L> linear_gap(L slope, const Moments<L>& front, const Moments<L>& out,
                                   const Moments<L>& back) {
  const L noise = maximum(out.variance - scaled(front.variance, slope * slope), L(0));
  return {multiply_add(slope, front.mean, back.mean - out.mean), back.variance + noise};
}

// The guard of tilted messages, counted.
template <class L>
inline Sent<L> linearised_guard(L slope, const Moments<L>& front, const Moments<L>& out,
                                const Moments<L>& back) {
  const LinearGap<L> at = linear_gap(slope, front, out, back);
  Sent<L> sent_out = linearised(slope, at.gap, at.d);
  sent_out.event = event_code<L>(Event::linearised);
  return sent_out;
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_LINEARISED_INL_H_
