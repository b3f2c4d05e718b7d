// The message of the constraint lower < x < upper, by tilting; see tilted-inl.h.
//
// The interval is the difference of two half lines, so that log Z and its derivatives come from the
// two steps. The half lines are taken towards the tail that is farther from the mean, near edge
// first, so that neither mass is rounded to one. With p = Z_near/Z and q = Z_far/Z = p - 1,
//
//   s g1 = p v_near - q v_far,
//   s2 g2 = p w_near - q w_far + p q (v_near - v_far)^2,
//   1 - s2 g2 = p variance_near - q variance_far - p q (v_near - v_far)^2,
//
// with v, w and the variance of truncated_normal at the two edges.
//
// The interval is log-concave, so that the message is proper. Where it is so narrow that the
// incoming density is constant on it, the differences cancel; but there the message is that of the
// interval itself, with the moments of a box: their errors are both below 1e-9 of s2 at the point of
// change. log Z changes over at a far narrower interval, since it loses digits to one difference only.
#include "factor/tilted-inl.h"

#if defined(POSTRIDER_FACTOR_INTERVAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_INTERVAL_INL_H_
#undef POSTRIDER_FACTOR_INTERVAL_INL_H_
#else
#define POSTRIDER_FACTOR_INTERVAL_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// The incoming message must be proper, and lower < upper.
template <class L>
HWY_INLINE Sent<L> interval_sent(L lower, L upper, const Message<L>& incoming) {
  constexpr double kNarrow = 1e-3;  // share of the near half line that lies in the interval
  constexpr double kHair = 3e-5;    // likewise, for log Z: both errors are below 1e-9 there

  const Moments<L> x = moments_of(incoming);
  const L center = L(0.5) * (lower + upper), width = upper - lower;
  const auto mirrored = x.mean > center;
  const L sign = select(mirrored, L(-1), L(1));
  const L inverse_variance = L(1) / x.variance, inverse = square_root(inverse_variance);
  const L t_near = sign * (x.mean - select(mirrored, upper, lower)) * inverse;
  const L t_far = sign * (x.mean - select(mirrored, lower, upper)) * inverse;
  const Truncated<L> near = truncated_normal(t_near), far = truncated_normal(t_far);

  // Z_far/Z_near; t_far is negative, and what t_near has beyond zero is in its mass.
  const L inside = minimum(t_near, L(0));
  const L ratio = far.scaled_mass / near.scaled_mass *
                  exponential(L(-0.5) * (t_far - inside) * (t_far + inside));
  const L share = L(1) - ratio;
  const L p = L(1) / share, q = ratio / share;
  const L gap = near.v - far.v;
  const L spread = p * q * gap * gap;
  const L g1 = sign * inverse * (p * near.v - q * far.v);
  const L g2 = inverse_variance * (p * near.w - q * far.w + spread);
  const L omega = p * near.variance - q * far.variance - spread;
  const Message<L> tilted{multiply_add(x.mean, g2, g1) / omega, g2 / omega};

  const auto narrow = !((share >= L(kNarrow)) & (omega > L(0)));
  const Message<L> box = message_of(Moments<L>{center, width * width / L(12)});
  // So wide that nothing is cut off.
  const Message<L> wide = select(is_proper(tilted), tilted, uniform_message<L>());
  const Message<L> out = select(narrow, box, wide);
  const L log_z = select(share >= L(kHair), log_normal_cdf(t_near) + logarithm(share),
                         log_gaussian(center, x.mean, x.variance) + logarithm(width));
  return sent(out, tilted_scale(log_z, incoming, out));
}

template <class L>
HWY_INLINE Message<L> interval_message(L lower, L upper, const Message<L>& incoming) {
  return interval_sent(lower, upper, incoming).message;
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_INTERVAL_INL_H_
