// The tilted message of the leaky ReLU y = g(x), slope a: the exact first two moments of
//
//   N(x; m, s2) N(g(x); b, v),
//
// with N(m, s2) the forward message and N(b, v) the one that comes back along y, divided by the
// forward message. The two sides of the kink, slopes a_1 = 1 (x > 0) and a_2 = a (x <= 0), are
// Gaussians N(m_k, v_k) cut at zero:
//
//   c_k = v + a_k^2 s2,   v_k = s2 v/c_k,   m_k = (m v + a_k b s2)/c_k,
//
// and since both have the same density at zero, their odds are
// sqrt(v_1) Phi(t_1)/phi(t_1) : sqrt(v_2) Phi(t_2)/phi(t_2), t_1 = m_1/s_1 and t_2 = -m_2/s_2.
//
// With omega = (tilted variance)/s2 the message is, where it is strong (omega <= 1/2),
//
//   rho = (1 - omega)/(omega s2),   tau = (tilted mean/omega - m)/s2;
//
// where it is weak these differences cancel, and the second derivative of log Z in m is used,
// unless its own terms cancel more. With h = d log f/dx, whose mean is h_k on side k, and p_0 the
// tilted density at the kink,
//
//   g2 = sum_k pi_k a_k^2 (v + a_k^2 s2 w_k)/(v c_k) - pi_1 pi_2 (h_1 - h_2)^2 - p_0 (1 - a) b/v,
//
// rho = g2/omega and tau = (g1 + m g2)/omega; in g1 + m g2 the terms in m alone cancel exactly and
// have been taken out.
#include "factor/tilted-inl.h"

#if defined(POSTRIDER_FACTOR_RELU_TILTED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_RELU_TILTED_INL_H_
#undef POSTRIDER_FACTOR_RELU_TILTED_INL_H_
#else
#define POSTRIDER_FACTOR_RELU_TILTED_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {

// One side of the kink, for slope a_k; sign = +1 for x > 0, -1 for x <= 0.
template <class L>
struct ReluSide {
  L shrink;     // v/c_k = v_k/s2
  L root;       // its square root
  L deviation;  // sqrt(v_k)
  L inverse_c;  // 1/c_k
  L t;          // how many deviations of N(m_k, v_k) lie inside
  Truncated<L> cut;
};

template <class L>
HWY_INLINE ReluSide<L> relu_side(L slope, L sign, const Moments<L>& front, const Moments<L>& back) {
  const L inverse_c = L(1) / multiply_add(slope * slope, front.variance, back.variance);
  const L shrink = back.variance * inverse_c;
  const L centre = multiply_add(front.mean, shrink, slope * back.mean * front.variance * inverse_c);
  const L deviation = square_root(front.variance * shrink);
  const L t = in_deviations(sign * centre, deviation);
  return {shrink, square_root(shrink), deviation, inverse_c, t, truncated_normal(t)};
}

// Odds beyond this are as good as certain.
template <class L>
HWY_INLINE L largest_odds() {
  return L(std::same_as<Element<L>, float> ? 1e30 : 1e300);
}

// Both messages proper or `front` a point mass; other states are the caller's. The precision is not
// positive where the message is improper: the caller guards.
template <class L>
HWY_INLINE Sent<L> relu_tilted(double slope, const Message<L>& incoming, const Moments<L>& front,
                               const Moments<L>& back) {
  const L a(slope), m = front.mean, s2 = front.variance, b = back.mean, v = back.variance;
  const ReluSide<L> right = relu_side(L(1), L(1), front, back);
  const ReluSide<L> left = relu_side(a, L(-1), front, back);

  // sqrt(v_1)/sqrt(v_2) = sqrt(c_2/c_1), which exists at s2 = 0 as well.
  const L inside_right = maximum(right.t, L(0)), inside_left = maximum(left.t, L(0));
  const L exponent = L(0.5) * (inside_right - inside_left) * (inside_right + inside_left);
  const L odds = right.root * right.cut.scaled_mass / (left.root * left.cut.scaled_mass) *
                 exponential(exponent);
  const L bounded_odds = minimum(odds, largest_odds<L>());
  const L second = L(1) / (L(1) + bounded_odds);
  const L first = bounded_odds * second;

  // Tilted variance over s2, tilted mean.
  const L apart = multiply_add(right.root, right.cut.mean, left.root * left.cut.mean);
  const L omega = first * right.shrink * right.cut.variance +
                  second * left.shrink * left.cut.variance + first * second * apart * apart;
  const L mean = first * right.deviation * right.cut.mean - second * left.deviation * left.cut.mean;

  // Strong messages.
  const L inverse_omega = L(1) / omega;
  const L inverse_s2 = L(1) / s2;
  const Message<L> strong{(mean * inverse_omega - m) * inverse_s2,
                          (L(1) - omega) * inverse_omega * inverse_s2};

  // Weak messages. A hazard meets its side's probability before its deviation: far outside, the
  // hazard is large and the probability zero.
  const L inverse_v = L(1) / v;
  const L pull_right = right.deviation * right.cut.v * inverse_v;
  const L pull_left = a * a * left.deviation * left.cut.v * inverse_v;
  const L h_right = multiply_add(b - m, right.inverse_c, -pull_right);
  const L h_left = multiply_add(a * (b - a * m), left.inverse_c, pull_left);
  const L bend_right = multiply_add(s2 * right.cut.w, inverse_v, L(1)) * right.inverse_c;
  const L bend_left =
      multiply_add(a * a * s2 * left.cut.w, inverse_v, L(1)) * a * a * left.inverse_c;
  const L at_kink = select(s2 > L(0), first * right.cut.v / right.deviation, L(0));
  const L between = first * second * square(h_right - h_left);
  const L bent = at_kink * L(1 - slope) * b * inverse_v;
  const L lost = between + bent;
  const L gained = multiply_add(first, bend_right, second * bend_left);
  const L g2 = gained - lost;
  const L spread_right =
      multiply_add(m * s2 * right.cut.w, right.inverse_c * inverse_v, -pull_right);
  const L spread_left =
      multiply_add(a * a * a * a * m * s2 * left.cut.w, left.inverse_c * inverse_v, pull_left);
  const L numerator = first * multiply_add(b, right.inverse_c, spread_right) +
                      second * multiply_add(a * b, left.inverse_c, spread_left) - m * lost;
  const auto at_point = s2 == L(0);
  const L weaken = select(at_point, L(1), inverse_omega);
  const Message<L> weak{numerator * weaken, g2 * weaken};

  // Terms larger than 1/s2 that cancel in g2 lose more than the difference 1 - omega does.
  const auto digits_kept = (gained + between + absolute(bent)) * s2 < L(1);
  const auto is_weak = ((omega > L(0.5)) & digits_kept) | at_point;
  Sent<L> out = sent(select(is_weak, weak, strong));
  const auto mostly_right = first > second;
  const L fit =
      select(mostly_right, log_gaussian(b, m, s2 + v), log_gaussian(b, a * m, a * a * s2 + v));
  const L share = select(mostly_right, log_normal_cdf(right.t) - logarithm(first),
                         log_normal_cdf(left.t) - logarithm(second));
  out.log_scale = tilted_scale(fit + share, incoming, out.message);
  return out;
}

}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_RELU_TILTED_INL_H_
