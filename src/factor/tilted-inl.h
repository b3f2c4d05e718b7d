// Messages by tilting: a factor's exact message times the message N(m, s2) that comes in on the
// same edge has a mean and a variance; the message that reproduces them is the quotient.
//
// With Z(m) the integral of that product, g1 = d log Z/dm and g2 = -d^2 log Z/dm^2,
//
//   tilted mean = m + s2 g1,   tilted variance = s2 (1 - s2 g2),
//   rho = g2/(1 - s2 g2),      tau = (g1 + m g2)/(1 - s2 g2).
//
// Where the message is weak this form keeps the digits that 1/variance - 1/s2 would lose.
#include "factor/concept-inl.h"

#if defined(POSTRIDER_FACTOR_TILTED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_TILTED_INL_H_
#undef POSTRIDER_FACTOR_TILTED_INL_H_
#else
#define POSTRIDER_FACTOR_TILTED_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// The scale of a tilted message: with it, the message times the incoming one integrates to Z.
template <class L>
inline L tilted_scale(L log_z, const Message<L>& incoming, const Message<L>& outgoing) {
  return log_z - log_overlap(incoming, outgoing);
}

// g1, g2 and the tilted variance in units of the deviation of N(m, s2).
template <class L>
struct Tilt {
  Mask<L> is_weak;  // whether s g1 is `gradient`; else it is mean - m/s
  L gradient, mean;
  L curvature;  // s2 g2
  L omega;      // tilted variance/s2 = 1 - s2 g2
};

// What comes back to a sum N(m', s2') whose forward message N(m, s2) is the sum's times a prior N(0, 1/p):
// the tilted message times the prior. With 1/s2 = 1/s2' + p, m/s2 = m'/s2' and D = s2 g2 + p s2 omega
// its mean exceeds m' by (s2 g1 - p s2 m')/D, and its variance is s2 omega/D: nothing of size m cancels.
template <class L>
struct Answer {
  L shift, variance;
  L strength;  // D: its precision, against what a forward message with it has
};
template <class L>
HWY_INLINE Answer<L> answer_of(const Tilt<L>& tilt, const Moments<L>& front, L deviation, L prior,
                               L sum_mean) {
  const L moved = select(tilt.is_weak, deviation * tilt.gradient,
                         multiply_less(deviation, tilt.mean, front.mean));
  const L prior_share = prior * front.variance;
  const L strength = multiply_add(prior_share, tilt.omega, tilt.curvature);
  const L inverse = L(1) / strength;
  return {multiply_subtract(prior_share, sum_mean, moved) * inverse,
          front.variance * tilt.omega * inverse, strength};
}
template <class L>
HWY_INLINE Answer<L> answer_of(const Message<L>& message, L s2, L prior, L sum_mean) {
  const Moments<L> back = proper_moments(Message<L>{message.tau, message.rho + prior});
  return {back.mean - sum_mean, back.variance, (message.rho + prior) * s2};
}
template <class L>
HWY_INLINE Answer<L> select(Mask<L> mask, const Answer<L>& yes, const Answer<L>& no) {
  return {select(mask, yes.shift, no.shift), select(mask, yes.variance, no.variance),
          select(mask, yes.strength, no.strength)};
}

// Two alternatives k with Z = Z_1 + Z_2: log Z_k, g1_k and g2_k of each, and what it leaves of the
// variance, omega_k = 1 - s2 g2_k, which is kept on its own because a strong message leaves little.
template <class L>
struct Alternative {
  L log_z, g1, g2, omega;
};

template <class L>
struct Mixture {
  L first, second;  // the probabilities of the two; they sum to one
  L log_z;
};

template <class L>
inline Mixture<L> mixture(L log_first, L log_second) {
  const L larger = maximum(log_first, log_second);
  const L a = exponential(log_first - larger), b = exponential(log_second - larger);
  const L sum = a + b;
  return {a / sum, b / sum, larger + logarithm(sum)};
}

// --- a step: f(x) = Phi(sign (x - offset)/sqrt(width)) -------------------------------------------
//
// Probit, greater-than and the two alternatives of a maximum are all of this form. With
// c = s2 + width and t = sign (m - offset)/sqrt(c), log Z = log Phi(t) and, with v, w and lift of
// truncated_normal(t),
//
//   rho = w/(width + s2 (1 - w)),   tau = rho offset + sign sqrt(c) lift/(width + s2 (1 - w)).
//
// log Z is concave in m, so rho is never negative: no guard is needed.
template <class L>
inline Sent<L> step_message(L sign, L offset, L width, const Message<L>& incoming) {
  const Moments<L> x = moments_of(incoming);
  const L c = x.variance + width;
  const L gap = sign * (x.mean - offset);
  const L t = standardised(gap, c);
  const Truncated<L> cut = truncated_normal(t);

  const L d = width + x.variance * cut.variance, log_z = log_normal_cdf(t);
  const L rho = cut.w / d;
  const L lift = sign * square_root(c) * cut.lift;
  Sent<L> out = settled(Message<L>{multiply_add(rho, offset, lift / d), rho}, offset + lift / cut.w,
                        d == L(0), L(0));
  out.log_scale =
      select(is_uniform(out.message), log_z, tilted_scale(log_z, incoming, out.message));

  // An uninformative side leaves the step somewhere between 0 and 1, which no message can say.
  const auto unbounded = c > largest_finite<L>();
  out = select(unbounded, sent_uniform<L>(log_normal_cdf(L(0)), Event::vanished), out);
  // Both sides known: the step holds or it does not.
  const Sent<L> holds = sent_uniform<L>(log_z);
  const Sent<L> fails = sent_uniform<L>(-infinity<L>(), Event::contradicted);
  return select(c > L(0), out, select(gap >= L(0), holds, fails));
}

// log Z of a step, and its derivatives, for N(m, s2): an alternative of a mixture.
template <class L>
inline Alternative<L> step_alternative(L sign, L offset, L width, const Moments<L>& x) {
  const L c = x.variance + width;
  const L t = standardised(sign * (x.mean - offset), c);
  const Truncated<L> cut = truncated_normal(t);
  const L safe = select(c > L(0), c, L(1));
  const auto flat = !((c > L(0)) & (cut.w > L(0)));
  const L omega = multiply_add(x.variance, cut.variance, width) / safe;
  return {log_normal_cdf(t), select(flat, L(0), sign * cut.v / square_root(safe)),
          select(flat, L(0), cut.w / safe), select(flat, L(1), omega)};
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_TILTED_INL_H_
