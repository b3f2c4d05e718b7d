// Density:    f(x) = N(x; mean, variance)
// Messages:   to x: N(mean, variance), exact.
// Domain:     mean finite, variance >= 0 (0 is a point mass, infinity the uniform message).
// Limits:     [limit: sharp] variance -> 0: the point mass at `mean`.
//             [limit: vague] variance -> infinity: the uniform message.
// Reference:  the paper, Section 3, "The Gaussian prior ... conjugate to the message family".
#include <cmath>

#include "factor/concept-inl.h"
#include "postrider/error.h"

#if defined(POSTRIDER_FACTOR_GAUSSIAN_PRIOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_GAUSSIAN_PRIOR_INL_H_
#undef POSTRIDER_FACTOR_GAUSSIAN_PRIOR_INL_H_
#else
#define POSTRIDER_FACTOR_GAUSSIAN_PRIOR_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct GaussianPrior {
  enum Edge : size_t { x };

  double mean = 0;
  double variance = 1;

  static constexpr std::string_view kName = "gaussian_prior";

  static FactorInfo describe() {
    return {std::string(kName),
            "N(x; mean, variance)",
            FactorKind::density,
            {{"x", {{Rule::exact, Claim::exact, true}}, false}}};
  }

  static GaussianPrior from(ParameterReader& parameters) {
    const GaussianPrior out{parameters.number("mean", 0), parameters.number("variance", 1)};
    if (!std::isfinite(out.mean)) reject(parameters.field("mean"), out.mean, "must be finite");
    if (!(out.variance >= 0))
      reject(parameters.field("variance"), out.variance, "must be at least 0");
    return out;
  }

  double evaluate(std::span<const double> values) const {
    return log_gaussian(values[x], mean, variance);
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t /*edge*/, Rule /*rule*/, const Message<L>* /*in*/) const {
    return sent_moments(L(mean), L(variance));
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_GAUSSIAN_PRIOR_INL_H_
