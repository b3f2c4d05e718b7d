// Density:    f(z, x, y) = delta(z - max(x, y))
// Messages:   to z, with theta^2 = var_x + var_y, alpha = (mean_x - mean_y)/theta and V+ the
//             rectified variance of math/normal-inl.h:
//               mean = max(mean_x, mean_y) + theta phi(alpha) L1(|alpha|),
//               variance = var_x V+(alpha) + var_y V+(-alpha).
//             to x (to y by symmetry): tilted. Either x is the larger, and then it meets the
//             message from z and exceeds y; or y is, and then y meets that message and x stays
//             below. Each alternative is a Gaussian times a step of tilted-inl.h. Where the tilted
//             message would be improper, the statistically linearised factor, slope Phi(alpha),
//             counted.
// Domain:     all messages. The exact message to x tends to a constant as x falls: improper.
// Limits:     [limit: dominant] mean_x - mean_y >> theta: z = x.
//             [limit: dominated] mean_y - mean_x >> theta: x hears almost nothing.
//             [limit: known] x and y known: z is their maximum.
// Reference:  Clark 1961 for the moments of a maximum; beyond the paper.
#include <algorithm>

#include "factor/linearised-inl.h"
#include "factor/tilted-inl.h"

#if defined(POSTRIDER_FACTOR_MAXIMUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_MAXIMUM_INL_H_
#undef POSTRIDER_FACTOR_MAXIMUM_INL_H_
#else
#define POSTRIDER_FACTOR_MAXIMUM_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct Maximum {
  enum Edge : size_t { z, x, y };

  static constexpr std::string_view kName = "maximum";

  static FactorInfo describe() {
    const std::vector<RuleInfo> tilted{{Rule::conditioned, Claim::tilted_moments, true}};
    return {std::string(kName),
            "z = max(x, y)",
            FactorKind::deterministic,
            {{"z", {{Rule::direct, Claim::moments, true}}, false},
             {"x", tilted, true},
             {"y", tilted, true}}};
  }

  static Maximum from(ParameterReader&) { return {}; }

  double evaluate(std::span<const double> values) const { return std::max(values[0], values[1]); }

  std::vector<double> kinks(size_t edge, std::span<const double> values) const {
    return edge == z ? std::vector<double>{} : std::vector<double>{values[edge == x ? y : x]};
  }

  template <class L>
  static HWY_INLINE Moments<L> forward(const Moments<L>& x, const Moments<L>& y) {
    const L theta2 = x.variance + y.variance;
    const L alpha = standardised(x.mean - y.mean, theta2);
    const L distance = absolute(alpha);
    const L spill = square_root(theta2) * normal_density(distance) * mills(distance).first();
    return {maximum(x.mean, y.mean) + spill,
            x.variance * rectified(alpha).variance + y.variance * rectified(-alpha).variance};
  }

  template <class L>
  static HWY_INLINE Sent<L> backward(const Message<L>& from_x, const Moments<L>& x,
                                     const Moments<L>& y, const Moments<L>& z) {
    // x is the larger: N(x) N(x; z) is N(meeting) times how well the two agree.
    const L sum = x.variance + z.variance, inverse = L(1) / sum;
    const L keep = z.variance * inverse;  // d (mean of the meeting)/d mean_x
    const Moments<L> meeting{multiply_add(x.mean, keep, z.mean * x.variance * inverse),
                             x.variance * keep};
    const Alternative<L> above = step_alternative(L(1), y.mean, y.variance, meeting);
    const L pull = (z.mean - x.mean) * inverse;
    const Alternative<L> larger{log_gaussian(z.mean, x.mean, sum) + above.log_z,
                                multiply_add(keep, above.g1, pull),
                                multiply_add(keep * keep, above.g2, inverse), keep * above.omega};
    // y is the larger, and meets z; x stays below.
    const L sum_y = y.variance + z.variance, inverse_y = L(1) / sum_y;
    const Moments<L> bound{(y.mean * z.variance + z.mean * y.variance) * inverse_y,
                           y.variance * z.variance * inverse_y};
    const Alternative<L> below = step_alternative(L(-1), bound.mean, bound.variance, x);
    const L log_smaller = log_gaussian(z.mean, y.mean, sum_y) + below.log_z;

    const Mixture<L> share = mixture(larger.log_z, log_smaller);
    const L g1 = share.first * larger.g1 + share.second * below.g1;
    const L lost = share.first * share.second * square(larger.g1 - below.g1);
    const L g2 = share.first * larger.g2 + share.second * below.g2 - lost;
    const L omega =
        share.first * larger.omega + share.second * below.omega + x.variance * lost;  // 1 - s2 g2
    const L weaken = L(1) / omega;  // s2 over the tilted variance
    const Message<L> tilted{multiply_add(x.mean, g2, g1) * weaken, g2 * weaken};

    const L slope = normal_cdf(standardised(x.mean - y.mean, x.variance + y.variance));
    const Sent<L> guard = linearised_guard(slope, x, forward(x, y), z);
    return select(is_proper(tilted) & (weaken > L(0)),
                  sent(tilted, tilted_scale(share.log_z, from_x, tilted)), guard);
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule /*rule*/, const Message<L>* in) const {
    if (edge == z) {
      const Moments<L> out = forward(moments_of(in[x]), moments_of(in[y]));
      return select(is_uniform(in[x]) | is_uniform(in[y]), sent_uniform<L>(),
                    sent_moments(out.mean, out.variance));
    }
    const size_t other = edge == x ? y : x;
    const Sent<L> out =
        backward(in[edge], moments_of(in[edge]), moments_of(in[other]), moments_of(in[z]));
    // Without a forward message there is nothing to be conditioned on.
    const auto unconditioned = is_uniform(in[edge]) | is_uniform(in[other]);
    const Sent<L> silent = sent_uniform<L>(L(0), Event::vanished);
    return select(is_uniform(in[z]), sent_uniform<L>(), select(unconditioned, silent, out));
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_MAXIMUM_INL_H_
