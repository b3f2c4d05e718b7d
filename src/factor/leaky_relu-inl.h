// Density:    f(y, x) = delta(y - g(x)),  g(x) = x for x > 0 and a x for x <= 0,  a = slope
// Messages:   to y, with u = mean_x/s_x and Phi, spill and V+ of rectified(u) in math/normal-inl.h:
//               mean = g(mean_x) + (1 - a) s_x spill(u),
//               variance = var_x (a^2 + 2 a (1 - a) Phi(u) + (1 - a)^2 V+(u)).
//             to x, with N(mean_y, var_y) coming back:
//               direct       the moments of the exact two-piece message, N(x; mean_y, var_y) for
//                            x > 0 and N(a x; mean_y, var_y) for x <= 0, as a mixture of its
//                            pieces;
//               conditioned  tilted by the forward message (relu_tilted-inl.h); where that would be
//                            improper, the statistically linearised factor, counted as an event.
// Domain:     0 <= slope <= 1. At slope = 0 the exact message to x has infinite mass: `direct` is
//             refused, `conditioned` works.
// Limits:     [limit: identity] slope = 1: both directions hand the message on.
//             [limit: rectifier] slope = 0: y = max(x, 0).
//             [limit: far_right] mean_x >> s_x: the identity.
//             [limit: far_left] -mean_x >> s_x: y = a x.
//             [limit: known_output] var_y = 0: direct is a point mass at the inverse.
//             [limit: proposition] both directions equal the formulas that the paper prints.
// Reference:  the paper, Propositions 3.4 and 3.5, in forms without cancellation.
#include <cmath>

#include "factor/linearised-inl.h"
#include "factor/relu_tilted-inl.h"
#include "postrider/error.h"

#if defined(POSTRIDER_FACTOR_LEAKY_RELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_LEAKY_RELU_INL_H_
#undef POSTRIDER_FACTOR_LEAKY_RELU_INL_H_
#else
#define POSTRIDER_FACTOR_LEAKY_RELU_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct LeakyRelu {
  enum Edge : size_t { y, x };

  double slope = 0.1;

  static constexpr std::string_view kName = "leaky_relu";

  static FactorInfo describe() {
    return {
        std::string(kName),
        "y = max(x, 0) + slope min(x, 0)",
        FactorKind::deterministic,
        {{"y", {{Rule::direct, Claim::moments, true}}, false, {0}},
         {"x",
          {{Rule::conditioned, Claim::tilted_moments, true}, {Rule::direct, Claim::moments, true}},
          false,
          {0}}}};
  }
  FactorInfo describe_instance() const {
    FactorInfo out = describe();
    if (slope == 0) {
      out.edges[x].exact_may_be_improper = true;
      out.edges[x].rules.pop_back();  // direct
    }
    return out;
  }

  static LeakyRelu from(ParameterReader& parameters) {
    const LeakyRelu out{parameters.number("slope", 0.1)};
    if (!(out.slope >= 0 && out.slope <= 1))
      reject(parameters.field("slope"), out.slope, "must lie between 0 and 1");
    return out;
  }

  double evaluate(std::span<const double> values) const {
    return values[0] > 0 ? values[0] : slope * values[0];
  }

  // The forward message with the mean slope Cov(y, x)/Var(x) of g, which the guard asks for.
  template <class L>
  struct Forward {
    Moments<L> y;
    L mean_slope;
  };
  template <class L>
  HWY_INLINE Forward<L> forward(const Moments<L>& from) const {
    const Roots<L> deviation = roots(from.variance);
    const Rectified<L> at = rectified(in_deviations(from.mean, deviation));
    const L corner = select(from.mean > L(0), from.mean, L(slope) * from.mean);
    const L variance =
        multiply_add(L((1 - slope) * (1 - slope)), at.variance,
                     multiply_add(L(2 * slope * (1 - slope)), at.probability, L(slope * slope)));
    return {
        {multiply_add(L(1 - slope), deviation.root * at.spill, corner), from.variance * variance},
        multiply_add(L(1 - slope), at.probability, L(slope))};
  }

  // slope > 0. The pieces are a Gaussian cut to x > 0 with mass Phi(t), t = mean_y/s_y, and one cut
  // to x <= 0, stretched by 1/a, with mass Phi(-t)/a.
  template <class L>
  HWY_INLINE Sent<L> direct(const Message<L>& from_y) const {
    const Moments<L> back = moments_of(from_y);
    const L a(slope), stretch(1 / slope);
    const L t = standardised(back.mean, back.variance), s = square_root(back.variance);
    const Truncated<L> right = truncated_normal(t), left = truncated_normal(-t);
    const L right_mass = normal_cdf(t), left_mass = stretch * normal_cdf(-t);
    const L mass = right_mass + left_mass;
    const L first = right_mass / mass, second = left_mass / mass;
    const L mean_right = s * right.mean, mean_left = -(stretch * s * left.mean);
    const L within =
        back.variance * (first * right.variance + second * stretch * stretch * left.variance);
    const L variance = within + first * second * square(mean_right - mean_left);
    Sent<L> out = sent_moments(multiply_add(first, mean_right, second * mean_left), variance);
    out.log_scale = logarithm(mass);

    const L inverse = select(back.mean > L(0), back.mean, stretch * back.mean);
    const L jacobian = select(back.mean > L(0), L(0), -logarithm(a));
    const Sent<L> point = sent(Message<L>{inverse, infinity<L>()}, jacobian);
    out = select(is_point_mass(from_y), point, out);
    return select(is_uniform(from_y), sent_uniform<L>(), out);
  }

  // For proper messages: what a sweep over units calls. Where the curvature is not positive the message
  // would be improper, and linearised_proper() takes its place; `went` is the forward message.
  template <class L>
  HWY_INLINE Tilt<L> tilted_proper(const Roots<L>& deviation, const Moments<L>& front,
                                   const Message<L>& from_y) const {
    return relu_tilt(slope, front.mean * deviation.inverse, deviation.root * from_y.tau,
                     minimum(front.variance * from_y.rho, largest_ratio<L>()))
        .tilt;
  }
  template <class L>
  HWY_INLINE Message<L> linearised_proper(const Moments<L>& front, const Forward<L>& went,
                                          const Message<L>& from_y) const {
    const L a = went.mean_slope;
    const LinearGap<L> at = linear_gap(a, front, went.y, proper_moments(from_y));
    return linearised_core(a, at.gap, at.d, a).message();
  }

  template <class L>
  HWY_INLINE Sent<L> conditioned(const Message<L>& from_x, const Message<L>& from_y) const {
    const Moments<L> front = moments_of(from_x), back = moments_of(from_y);
    const Sent<L> tilted = relu_tilted(slope, from_x, front, from_y);
    const Forward<L> went = forward(front);
    Sent<L> sent_out = select(is_proper(tilted.message), tilted,
                              linearised_guard(went.mean_slope, front, went.y, back));

    // Nothing comes in on one of the sides, or the output is known.
    const auto known = is_point_mass(from_y);
    if (slope > 0) {
      sent_out = select(is_uniform(from_x) | known, direct(from_y), sent_out);
    } else {
      const Sent<L> cut = step_message(L(-1), L(0), L(0), from_x);
      const Sent<L> value = sent(Message<L>{back.mean, infinity<L>()});
      sent_out = select(known, select(back.mean > L(0), value, cut), sent_out);
      sent_out = select(is_uniform(from_x), sent_uniform<L>(L(0), Event::vanished), sent_out);
    }
    return select(is_uniform(from_y), sent_uniform<L>(), sent_out);
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule rule, const Message<L>* in) const {
    if (edge == x) return rule == Rule::direct ? direct(in[y]) : conditioned(in[x], in[y]);
    const Moments<L> out = forward(moments_of(in[x])).y;
    return select(is_uniform(in[x]), sent_uniform<L>(), sent_moments(out.mean, out.variance));
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_LEAKY_RELU_INL_H_
