// The tilted message of the leaky ReLU y = g(x), slope a: the exact first two moments of
//
//   N(x; m, s2) N(g(x); b, v),
//
// with N(m, s2) the forward message and N(b, v) the one that comes back along y, divided by the
// forward message. The message from y is taken in natural parameters, tau = b/v and rho = 1/v. The
// two sides of the kink, slopes a_1 = 1 (x > 0) and a_2 = a (x <= 0), are Gaussians N(m_k, v_k) cut
// at zero:
//
//   shrink_k = 1/(1 + a_k^2 s2 rho),   v_k = s2 shrink_k,   m_k = (m + a_k s2 tau) shrink_k,
//
// and since both have the same density at zero, their odds are
// sqrt(v_1) Phi(t_1)/phi(t_1) : sqrt(v_2) Phi(t_2)/phi(t_2), t_1 = m_1/s_1 and t_2 = -m_2/s_2.
//
// With omega = (tilted variance)/s2 the message is, where it is strong (omega <= 1/2),
//
//   rho' = (1 - omega)/(omega s2),   tau' = (tilted mean/omega - m)/s2;
//
// where it is weak these differences cancel, and the second derivative of log Z in m is used,
// unless its own terms cancel more. With h = d log f/dx, whose mean is h_k on side k, p_0 the
// tilted density at the kink, and share_k = s2 rho shrink_k,
//
//   g2 = sum_k pi_k a_k^2 rho (shrink_k + a_k^2 share_k w_k) - pi_1 pi_2 (h_1 - h_2)^2
//        - p_0 (1 - a) tau,
//
// rho' = g2/omega and tau' = (g1 + m g2)/omega; in g1 + m g2 the terms in m alone cancel exactly and
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

// Odds, and ratios of variances, beyond this are as good as infinite.
template <class L>
HWY_INLINE L largest_odds() {
  return L(std::same_as<Element<L>, float> ? 1e30 : 1e300);
}

// One side of the kink, for slope a_k; sign = +1 for x > 0, -1 for x <= 0.
template <class L>
struct ReluSide {
  L shrink;            // v_k/s2
  L share;             // s2 rho shrink_k
  Roots<L> deviation;  // sqrt(v_k)
  L root;              // sqrt(shrink_k)
  L t;                 // how many deviations of N(m_k, v_k) lie inside
  Truncated<L> cut;
};

template <class L>
inline ReluSide<L> relu_side(L slope, L sign, const Moments<L>& front, const Message<L>& back,
                             L ratio) {
  const L shrink = L(1) / multiply_add(slope * slope, ratio, L(1));
  const L centre = multiply_add(slope * front.variance, back.tau, front.mean) * shrink;
  const Roots<L> deviation = roots(front.variance * shrink);
  const L t = in_deviations(sign * centre, deviation);
  return {shrink, ratio * shrink, deviation, roots(shrink).root, t, truncated_normal(t)};
}

// Both messages proper or `front` a point mass; other states are the caller's. The precision is not
// positive where the message is improper: the caller guards.
template <class L>
inline Sent<L> relu_tilted(double slope, const Message<L>& incoming, const Moments<L>& front,
                           const Message<L>& back) {
  const L a(slope), m = front.mean, s2 = front.variance, tau = back.tau, rho = back.rho;
  const L ratio = minimum(s2 * rho, largest_odds<L>());
  const ReluSide<L> right = relu_side(L(1), L(1), front, back, ratio);
  const ReluSide<L> left = relu_side(a, L(-1), front, back, ratio);

  // sqrt(v_1)/sqrt(v_2) is taken as sqrt(shrink_1/shrink_2), which exists at s2 = 0 as well.
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
  const L mean =
      first * right.deviation.root * right.cut.mean - second * left.deviation.root * left.cut.mean;

  // Strong messages.
  const L inverse_omega = L(1) / omega;
  const L inverse_s2 = L(1) / s2;
  const Message<L> strong{(mean * inverse_omega - m) * inverse_s2,
                          (L(1) - omega) * inverse_omega * inverse_s2};

  // Weak messages. A hazard meets its side's probability before its deviation: far outside, the
  // hazard is large and the probability zero.
  const L pull_right = right.deviation.root * right.cut.v * rho;
  const L pull_left = a * a * left.deviation.root * left.cut.v * rho;
  const L h_right = multiply_add(multiply_subtract(m, rho, tau), right.shrink, -pull_right);
  const L h_left = multiply_add(a * multiply_subtract(a * m, rho, tau), left.shrink, pull_left);
  const L spread_right = right.share * right.cut.w, spread_left = a * a * left.share * left.cut.w;
  const L bend_right = rho * (right.shrink + spread_right);
  const L bend_left = a * a * rho * (left.shrink + spread_left);
  const L at_kink = select(s2 > L(0), first * right.cut.v * right.deviation.inverse, L(0));
  const L between = first * second * square(h_right - h_left);
  const L bent = at_kink * L(1 - slope) * tau;
  const L lost = between + bent;
  const L gained = multiply_add(first, bend_right, second * bend_left);
  const L g2 = gained - lost;
  const L said_right = multiply_add(tau, right.shrink, m * rho * spread_right - pull_right);
  const L said_left = multiply_add(a * tau, left.shrink, a * a * m * rho * spread_left + pull_left);
  const L numerator = first * said_right + second * said_left - m * lost;
  const auto at_point = s2 == L(0);
  const L weaken = select(at_point, L(1), inverse_omega);
  const Message<L> weak{numerator * weaken, g2 * weaken};

  // Terms larger than 1/s2 that cancel in g2 lose more than the difference 1 - omega does.
  const auto digits_kept = (gained + between + absolute(bent)) * s2 < L(1);
  const auto is_weak = ((omega > L(0.5)) & digits_kept) | at_point;
  Sent<L> out = sent(select(is_weak, weak, strong));
  const auto mostly_right = first > second;
  const Moments<L> y = moments_of(back);
  const L fit = select(mostly_right, log_gaussian(y.mean, m, s2 + y.variance),
                       log_gaussian(y.mean, a * m, a * a * s2 + y.variance));
  const L share = select(mostly_right, log_normal_cdf(right.t) - logarithm(first),
                         log_normal_cdf(left.t) - logarithm(second));
  out.log_scale = tilted_scale(fit + share, incoming, out.message);
  return out;
}

}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_RELU_TILTED_INL_H_
