// Density:    f(y, x) = delta(y - x^3)
// Messages:   to y: mean = m (m^2 + 3 s2), variance = s2 (9 m^4 + 36 m^2 s2 + 15 s2^2), where
//             N(m, s2) comes in from x.
//             to x: mean = c, the cube root of mean_y, variance = var_y/(9 c^4 + (15 var_y^2)^(1/3)):
//             the tangent's where mean_y is large, and at mean_y = 0 the one whose cube has the
//             variance var_y.
// Domain:     all messages. Where a power overflows, the message to y is uniform, counted.
// Limits:     [limit: known_input] x known: y = x^3.
//             [limit: known_output] y known: x is its cube root.
//             [limit: concentrated] var_y -> 0 at mean_y != 0: the tangent, variance var_y/(9 c^4).
//             [limit: zero_mean] mean_y = 0: N(0, (var_y/15)^(1/3)).
// Reference:  the moments of a Gaussian up to the sixth; beyond the paper.
#include "factor/concept-inl.h"

#if defined(POSTRIDER_FACTOR_CUBIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_FACTOR_CUBIC_INL_H_
#undef POSTRIDER_FACTOR_CUBIC_INL_H_
#else
#define POSTRIDER_FACTOR_CUBIC_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

struct Cubic {
  enum Edge : size_t { y, x };

  static constexpr std::string_view kName = "cubic";

  static FactorInfo describe() {
    return {std::string(kName),
            "y = x^3",
            FactorKind::deterministic,
            {{"y", {{Rule::direct, Claim::moments, true}}, false},
             {"x", {{Rule::direct, Claim::approximate, false}}, false}}};
  }

  static Cubic from(ParameterReader&) { return {}; }

  double evaluate(std::span<const double> values) const {
    return values[0] * values[0] * values[0];
  }

  template <class L>
  static HWY_INLINE Sent<L> forward(const Moments<L>& front) {
    const L m2 = square(front.mean), s2 = front.variance;
    const L mean = front.mean * multiply_add(L(3), s2, m2);
    const L variance = s2 * (L(9) * m2 * m2 + s2 * multiply_add(L(36), m2, L(15) * s2));
    const auto overflow = !(variance <= largest_finite<L>());
    return select(overflow, sent_uniform<L>(L(0), Event::overflowed), sent_moments(mean, variance));
  }

  template <class L>
  static HWY_INLINE Sent<L> backward(const Moments<L>& back) {
    const L root = cube_root(back.mean);
    const L spread =
        multiply_add(L(9), square(square(root)), cube_root(L(15) * square(back.variance)));
    return sent_moments(root, select(back.variance > L(0), back.variance / spread, L(0)));
  }

  template <class L>
  HWY_INLINE Sent<L> send(size_t edge, Rule /*rule*/, const Message<L>* in) const {
    const Message<L>& other = in[edge == y ? x : y];
    const Sent<L> out = edge == y ? forward(moments_of(other)) : backward(moments_of(other));
    return select(is_uniform(other), sent_uniform<L>(), out);
  }

 private:
  template <class L>
  static HWY_INLINE L cube_root(L v) {
    return with_sign_of(exponential(logarithm(absolute(v)) * L(1.0 / 3)), v);
  }
};

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_FACTOR_CUBIC_INL_H_
