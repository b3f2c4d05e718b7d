// Density:    f(x) = Phi(sign x/scale)
// Messages:   to x: tilted by the incoming message; see step_message in tilted-inl.h with offset 0
//             and width scale^2. f is log-concave, so the message is always proper.
// Domain:     sign = +1 or -1 (the observed class), scale >= 0 (0: a hard threshold).
// Limits:     [limit: hard] scale -> 0: greater-than with the other side known to be 0.
//             [limit: certain] sign mean_x >> s_x + scale: nothing left to say, precision -> 0.
//             [limit: surprised] -sign mean_x >> s_x + scale: precision -> 1/scale^2.
// Reference:  Minka 2001 (EP for the probit likelihood); beyond the paper.
#include "factor/tilted-inl.h"
#include "postrider/error.h"

#if defined(POSTRIDER_FACTOR_PROBIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_PROBIT_INL_H_
#undef POSTRIDER_FACTOR_PROBIT_INL_H_
#else
#define POSTRIDER_FACTOR_PROBIT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct Probit {
  enum Edge : size_t { x };

  double sign = 1;
  double scale = 1;

  static constexpr std::string_view kName = "probit";

  static FactorInfo describe() {
    return {std::string(kName),
            "Phi(sign x/scale)",
            FactorKind::density,
            {{"x", {{Rule::conditioned, Claim::tilted_moments, true}}, true, {0}}}};
  }

  static Probit from(ParameterReader& parameters) {
    const Probit out{parameters.number("sign", 1), parameters.number("scale", 1)};
    if (out.sign != 1 && out.sign != -1)
      reject(parameters.field("sign"), out.sign, "must be 1 or -1");
    if (!(out.scale >= 0 && out.scale <= kFarthest))
      reject(parameters.field("scale"), out.scale, "must be finite and at least 0");
    return out;
  }

  double evaluate(std::span<const double> values) const {
    return log_normal_cdf(standardised(sign * values[x], scale * scale));
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t /*edge*/, Rule /*rule*/, const Message<L>* in) const {
    return step_message(L(sign), L(0), L(scale * scale), in[x]);
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_PROBIT_INL_H_
