// The tilted message of the leaky ReLU y = g(x), slope a: the exact first two moments of
//
//   N(x; m, s2) N(g(x); b, v),
//
// with N(m, s2) the forward message and N(b, v) the one that comes back along y, divided by the
// forward message. The message from y is taken in natural parameters, tau = b/v and rho = 1/v. All is
// in units of the forward message's deviation s:
//
//   u = m/s,   beta = s tau,   r = s2 rho.
//
// The two sides of the kink, slopes a_1 = 1 (x > 0) and a_2 = a (x <= 0), are Gaussians N(m_k, v_k)
// cut at zero, with r_k = a_k^2 r:
//
//   v_k = 1/(1 + r_k),   m_k = (u + a_k beta) v_k,
//
// and since both have the same density at zero, their odds are
// sqrt(v_1) Phi(t_1)/phi(t_1) : sqrt(v_2) Phi(t_2)/phi(t_2), t_1 = m_1/s_1 and t_2 = -m_2/s_2.
//
// With omega the tilted variance and g1, g2 as in tilted-inl.h, the message is, in the same units,
//
//   rho' = g2/omega,   tau' = (g1 + u g2)/omega.
//
// Where it is strong (omega <= 1/2), g2 = 1 - omega and g1 = (tilted mean) - u; where it is weak these
// differences cancel, and the derivatives of log Z are used, unless the terms of the second cancel more.
// With h = d log f/dx, whose mean is h_k on side k, and p_0 the tilted density at the kink,
//
//   g1 = sum_k pi_k h_k,
//   g2 = sum_k pi_k r_k v_k (1 + r_k w_k) - pi_1 pi_2 (h_1 - h_2)^2 - p_0 (1 - a) beta;
//
// in g1 + u g2 the terms in u alone cancel exactly and have been taken out.
#include "factor/tilted-inl.h"

#if defined(POSTRIDER_FACTOR_RELU_TILTED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_RELU_TILTED_INL_H_
#undef POSTRIDER_FACTOR_RELU_TILTED_INL_H_
#else
#define POSTRIDER_FACTOR_RELU_TILTED_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// Ratios of variances beyond this are as good as infinite.
template <class L>
HWY_INLINE L largest_ratio() {
  return L(std::same_as<Element<L>, float> ? 1e30 : 1e300);
}

template <class L>
struct ReluTilt {
  Tilt<L> tilt;
  L numerator;      // g1 + u g2
  L first, second;  // the probabilities of the two sides
  L t_1, t_2;       // how many deviations of N(m_k, v_k) lie inside
};

// For u, beta and r as above, finite; the curvature is not positive where the message is improper. What
// the caller does not read costs nothing.
template <class L>
HWY_INLINE ReluTilt<L> relu_tilt(double slope, L u, L beta, L r) {
  const L a(slope);
  const L r_2 = L(slope * slope) * r;
  const L s_1 = inverse_root(L(1) + r), s_2 = inverse_root(L(1) + r_2);
  const L v_1 = s_1 * s_1, v_2 = s_2 * s_2;
  const L t_1 = (u + beta) * s_1, t_2 = -(multiply_add(a, beta, u) * s_2);
  const CutPair<L> cut = cut_pair(t_1, t_2);
  const Truncated<L>&cut_1 = cut.first, &cut_2 = cut.second;

  const L mass_1 = s_1 * cut.first_mass, mass_2 = s_2 * cut.second_mass;
  const L scale = L(1) / (mass_1 + mass_2);
  const L first = mass_1 * scale, second = mass_2 * scale, both = first * second;

  // How far the sides' means lie from the kink.
  const L mean_1 = s_1 * cut_1.mean, mean_2 = s_2 * cut_2.mean;
  const L within = multiply_add(first, v_1 * cut_1.variance, second * (v_2 * cut_2.variance));
  const L omega = multiply_add(both, square(mean_1 + mean_2), within);
  const L mean = multiply_subtract(second, mean_2, first * mean_1);

  // A hazard meets its side's probability before its deviation: far outside, the hazard is large and
  // the probability zero.
  const L pull_1 = r * s_1, pull_2 = r_2 * s_2;  // per hazard
  const L lean = u * r;
  const L h_1 = multiply_subtract(pull_1, cut_1.v, (beta - lean) * v_1);
  const L h_2 = multiply_add(pull_2, cut_2.v, a * v_2 * multiply_subtract(a, lean, beta));
  const L spread_1 = r * cut_1.w, spread_2 = r_2 * cut_2.w;
  const L share_1 = pull_1 * s_1, share_2 = pull_2 * s_2;
  const L bend_1 = multiply_add(share_1, spread_1, share_1);
  const L bend_2 = multiply_add(share_2, spread_2, share_2);
  const L gained = multiply_add(first, bend_1, second * bend_2);
  const L between = both * square(h_1 - h_2);
  const L bent = first * cut_1.v * (s_1 + pull_1) * (L(1 - slope) * beta);
  const L lost = between + bent;
  const L said_1 = multiply_subtract(pull_1, cut_1.v, beta * v_1 + u * share_1 * spread_1);
  const L said_2 = multiply_add(pull_2, cut_2.v, a * beta * v_2 + u * share_2 * spread_2);
  const L numerator = first * said_1 + second * said_2 - u * lost;

  // Terms larger than one that cancel lose more than the difference 1 - omega does.
  const Mask<L> is_weak = (omega > L(0.5)) & (gained + between + absolute(bent) < L(1));
  return {{is_weak, multiply_add(first, h_1, second * h_2), mean,
           select(is_weak, gained - lost, L(1) - omega), omega},
          select(is_weak, numerator, multiply_subtract(u, omega, mean)),
          first,
          second,
          t_1,
          t_2};
}

// Both messages proper or `front` a point mass; other states are the caller's. The precision is not
// positive where the message is improper: the caller guards.
template <class L>
inline Sent<L> relu_tilted(double slope, const Message<L>& incoming, const Moments<L>& front,
                           const Message<L>& back) {
  const L a(slope), m = front.mean, s2 = front.variance;
  const Roots<L> deviation = roots(s2);
  const ReluTilt<L> at = relu_tilt(slope, in_deviations(m, deviation), deviation.root * back.tau,
                                   minimum(s2 * back.rho, largest_ratio<L>()));
  const L first = at.first, second = at.second;
  const L inverse_omega = L(1) / at.tilt.omega;
  const Message<L> spread{at.numerator * inverse_omega * deviation.inverse,
                          at.tilt.curvature * inverse_omega / s2};
  // A point mass sees the slope where it is; at the kink, both.
  const L step = L(1 - slope) * back.tau;
  const Message<L> point{multiply_add(first, back.tau, second * a * back.tau),
                         (first + second * a * a) * back.rho - first * second * step * step};
  Sent<L> out = sent(select(s2 == L(0), point, spread));
  const auto mostly_right = first > second;
  const Moments<L> y = moments_of(back);
  const L fit = select(mostly_right, log_gaussian(y.mean, m, s2 + y.variance),
                       log_gaussian(y.mean, a * m, a * a * s2 + y.variance));
  const L share = select(mostly_right, log_normal_cdf(at.t_1) - logarithm(first),
                         log_normal_cdf(at.t_2) - logarithm(second));
  out.log_scale = tilted_scale(fit + share, incoming, out.message);
  return out;
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_RELU_TILTED_INL_H_
