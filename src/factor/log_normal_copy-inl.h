// Density:    f(x, l) = delta(x - exp(l)): a copy between a variable x with Gaussian messages and
//             y = x with log-normal ones, held as Gaussian messages of l = log y
// Messages:   to x: mean = exp(mean_l + var_l/2), variance = (exp(var_l) - 1) mean^2.
//             to l: var = log(1 + var_x/mean_x^2), mean = log|mean_x| - var/2:
//                   the log-normal whose mean and variance are those of N(mean_x, var_x). As a
//                   function of l its mass is E[1/y] = exp(var)/|mean_x|: the message's scale.
// Domain:     mean_x != 0; the sign of x is the caller's to keep. Where exp overflows, the message
//             to x is uniform, counted.
// Limits:     [limit: round_trip] to x of (to l of m) is m.
//             [limit: known] a point mass at x gives one at log|x|, and back.
//             [limit: zero_mean] mean_x = 0: the message to l is uniform.
//             [limit: leading_constant] KL(log-normal || Gaussian) -> 3/(4 r^2), r = mean/s.
// Reference:  the paper, Lemma B.3 and Appendix C.4 (copy-factor steps 1 and 2).
#include <cmath>

#include "factor/concept-inl.h"

#if defined(POSTRIDER_FACTOR_LOG_NORMAL_COPY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_LOG_NORMAL_COPY_INL_H_
#undef POSTRIDER_FACTOR_LOG_NORMAL_COPY_INL_H_
#else
#define POSTRIDER_FACTOR_LOG_NORMAL_COPY_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct LogNormalCopy {
  enum Edge : size_t { x, l };

  static constexpr std::string_view kName = "log_normal_copy";

  static FactorInfo describe() {
    return {std::string(kName),
            "x = exp(l)",
            FactorKind::deterministic,
            {{"x", {{Rule::direct, Claim::moments, true}}, false},
             {"l", {{Rule::direct, Claim::approximate, true}}, false}}};
  }

  static LogNormalCopy from(ParameterReader&) { return {}; }

  double evaluate(std::span<const double> values) const { return std::exp(values[0]); }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule /*rule*/, const Message<L>* in) const {
    return edge == x ? to_gaussian(in[l]) : to_log_normal(in[x]);
  }

 private:
  template <class L>
  static HWY_INLINE Sent<L> to_gaussian(const Message<L>& from) {
    const Moments<L> log_x = moments_of(from);
    const L mean = exponential(multiply_add(L(0.5), log_x.variance, log_x.mean));
    const L variance = mean * exp_minus_one(log_x.variance) * mean;
    const auto overflow = !(variance <= largest_finite<L>());
    Sent<L> out = sent_moments(mean, variance);
    out = select(overflow, sent_uniform<L>(L(0), Event::overflowed), out);
    return select(is_uniform(from), sent_uniform<L>(), out);
  }

  template <class L>
  static HWY_INLINE Sent<L> to_log_normal(const Message<L>& from) {
    const Moments<L> value = moments_of(from);
    const L mean = absolute(value.mean);
    const L variance = log_one_plus(value.variance / mean / mean);
    Sent<L> out = sent_moments(multiply_add(L(-0.5), variance, logarithm(mean)), variance);
    out.log_scale = variance - logarithm(mean);
    const auto silent = (mean == L(0)) | is_uniform(from) | (variance > largest_finite<L>());
    return select(silent, sent_uniform<L>(), out);
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_LOG_NORMAL_COPY_INL_H_
