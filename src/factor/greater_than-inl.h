// Density:    f(x, y) = 1 where x > y + margin, else 0
// Messages:   to x: tilted; the exact message is Phi((x - mean_y - margin)/s_y), a step of
//             tilted-inl.h with offset mean_y + margin, width var_y and sign +1.
//             to y: likewise with offset mean_x - margin, width var_x and sign -1.
//             Both are log-concave, so the messages are always proper.
// Domain:     margin finite.
// Limits:     [limit: known_bound] var_y = 0: x is cut at y + margin.
//             [limit: satisfied] mean_x - mean_y >> margin: nothing left to say.
//             [limit: contradiction] both sides known and x < y + margin: counted, uniform.
// Reference:  Herbrich, Minka, Graepel 2006 (TrueSkill); beyond the paper.
#include <cmath>
#include <limits>

#include "factor/tilted-inl.h"
#include "postrider/error.h"

#if defined(POSTRIDER_FACTOR_GREATER_THAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_GREATER_THAN_INL_H_
#undef POSTRIDER_FACTOR_GREATER_THAN_INL_H_
#else
#define POSTRIDER_FACTOR_GREATER_THAN_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct GreaterThan {
  enum Edge : size_t { x, y };

  double margin = 0;

  static constexpr std::string_view kName = "greater_than";

  static FactorInfo describe() {
    const std::vector<RuleInfo> tilted{{Rule::conditioned, Claim::tilted_moments, true}};
    return {std::string(kName),
            "x > y + margin",
            FactorKind::density,
            {{"x", tilted, true}, {"y", tilted, true}}};
  }

  static GreaterThan from(ParameterReader& parameters) {
    const GreaterThan out{parameters.number("margin", 0)};
    if (!std::isfinite(out.margin))
      reject(parameters.field("margin"), out.margin, "must be finite");
    return out;
  }

  double evaluate(std::span<const double> values) const {
    return values[x] > values[y] + margin ? 0 : -std::numeric_limits<double>::infinity();
  }

  std::vector<double> kinks(size_t edge, std::span<const double> values) const {
    return {edge == x ? values[y] + margin : values[x] - margin};
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule /*rule*/, const Message<L>* in) const {
    const L sign(edge == x ? 1 : -1);
    const Moments<L> bound = moments_of(in[edge == x ? y : x]);
    return step_message(sign, multiply_add(sign, L(margin), bound.mean), bound.variance, in[edge]);
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_GREATER_THAN_INL_H_
