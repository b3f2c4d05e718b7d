// The message of the constraint lower < x < upper, by tilting; see tilted-inl.h.
//
// The interval is the difference of two half lines, so that log Z and its derivatives come from the
// two steps. The half lines are taken towards the tail that is farther from the mean, near edge
// first, so that neither mass is rounded to one. With p = Z_near/Z and q = Z_far/Z = p - 1,
//
//   g1 = p g1_near - q g1_far,
//   g2 = p g2_near - q g2_far + p q (g1_near - g1_far)^2,
//   1 - s2 g2 = p omega_near - q omega_far - s2 p q (g1_near - g1_far)^2.
//
// The interval is log-concave, so that the message is proper. Where it is so narrow that the
// incoming density is constant on it, the differences cancel; but there the message is that of the
// interval itself, with the moments of a box: their errors are both below 1e-9 of s2 at the point of
// change.
#include "factor/tilted-inl.h"

#if defined(POSTRIDER_FACTOR_INTERVAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_INTERVAL_INL_H_
#undef POSTRIDER_FACTOR_INTERVAL_INL_H_
#else
#define POSTRIDER_FACTOR_INTERVAL_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {

// The incoming message must be proper, and lower < upper.
template <class L>
inline Message<L> interval_message(L lower, L upper, const Message<L>& incoming) {
  constexpr double kNarrow = 1e-3;  // share of the near half line that lies in the interval

  const Moments<L> x = moments_of(incoming);
  const L center = L(0.5) * (lower + upper), width = upper - lower;
  const auto mirrored = x.mean > center;
  const L sign = select(mirrored, L(-1), L(1));
  const Alternative<L> near = step_alternative(sign, select(mirrored, upper, lower), L(0), x);
  const Alternative<L> far = step_alternative(sign, select(mirrored, lower, upper), L(0), x);

  const L ratio = exponential(far.log_z - near.log_z);
  const L share = L(1) - ratio;
  const L p = L(1) / share, q = ratio / share;
  const L gap = near.g1 - far.g1;
  const L spread = p * q * gap * gap;
  const L g1 = p * near.g1 - q * far.g1;
  const L g2 = p * near.g2 - q * far.g2 + spread;
  const L omega = p * near.omega - q * far.omega - x.variance * spread;
  const Message<L> tilted{multiply_add(x.mean, g2, g1) / omega, g2 / omega};

  const auto narrow = !((share >= L(kNarrow)) & (omega > L(0)));
  const Message<L> box = message_of(Moments<L>{center, width * width / L(12)});
  // So wide that nothing is cut off.
  const Message<L> wide = select(is_proper(tilted), tilted, uniform_message<L>());
  return select(narrow, box, wide);
}

}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_INTERVAL_INL_H_
