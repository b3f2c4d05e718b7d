// Density:    f(y, x) = N(y; x, variance)
// Messages:   to y: N(mean_x, variance_x + variance), to x: N(mean_y, variance_y + variance), both
//             exact.
// Domain:     variance >= 0.
// Limits:     [limit: observed] y known: the message to x is N(y, variance).
//             [limit: noiseless] variance -> 0: the message of one side is handed to the other.
// Reference:  the paper, Section 3, "likelihood N(y; z, beta^2)"; here variance = beta^2.
#include "factor/concept-inl.h"
#include "postrider/error.h"

#if defined(POSTRIDER_FACTOR_GAUSSIAN_LIKELIHOOD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_GAUSSIAN_LIKELIHOOD_INL_H_
#undef POSTRIDER_FACTOR_GAUSSIAN_LIKELIHOOD_INL_H_
#else
#define POSTRIDER_FACTOR_GAUSSIAN_LIKELIHOOD_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct GaussianLikelihood {
  enum Edge : size_t { y, x };

  double variance = 1;

  static constexpr std::string_view kName = "gaussian_likelihood";

  static FactorInfo describe() {
    const std::vector<RuleInfo> exact{{Rule::exact, Claim::exact, true}};
    return {std::string(kName),
            "N(y; x, variance)",
            FactorKind::density,
            {{"y", exact, false}, {"x", exact, false}}};
  }

  static GaussianLikelihood from(ParameterReader& parameters) {
    const GaussianLikelihood out{parameters.number("variance", 1)};
    if (!(out.variance >= 0))
      reject(parameters.field("variance"), out.variance, "must be at least 0");
    return out;
  }

  double evaluate(std::span<const double> values) const {
    return log_gaussian(values[y], values[x], variance);
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule /*rule*/, const Message<L>* in) const {
    const Moments<L> other = moments_of(in[edge == y ? x : y]);
    return sent_moments(other.mean, other.variance + L(variance));
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_GAUSSIAN_LIKELIHOOD_INL_H_
