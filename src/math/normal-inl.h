// The normal distribution on lanes: density, distribution, its logarithm, the Mills ratio, and the
// moments of a Gaussian cut at a point, all without cancellation in either tail.
// Accuracy and range: docs/reference/special-functions.md.
//
// Everything rests on the Mills ratio and its first two derivatives, for x >= 0:
//
//   R(x) = Phi(-x)/phi(x),   L1 = -R' = 1 - x R,   L2 = R'' = (1 + x^2) R - x = R - x L1,
//
// because phi R, phi L1, phi L2 are the zeroth, first and second moment of N(-x, 1) on the positive
// half line. L1 and L2 cancel badly if computed from R, so each has a polynomial of its own.
#include "math/exponential-inl.h"
#include "math/mills_coefficients.h"

#if defined(POSTRIDER_MATH_NORMAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_MATH_NORMAL_INL_H_
#undef POSTRIDER_MATH_NORMAL_INL_H_
#else
#define POSTRIDER_MATH_NORMAL_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {

inline constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
inline constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;

// Beyond this many deviations a Gaussian has no mass that either type can hold; arguments are
// bounded here so that squares and products stay finite in float.
inline constexpr double kFarthest = 1e18;

// phi(x) = exp(-x^2/2)/sqrt(2 pi). The square is split into an exact and a small part, without
// which the relative error would grow like x^2.
template <class L>
inline L normal_density(L x) {
  const L bounded = minimum(absolute(x), L(kFarthest));
  const L high = high_half(bounded);
  const L low = (bounded - high) * (bounded + high);
  return L(kInverseSqrtTwoPi) * exp_of_sum(L(-0.5) * high * high, L(-0.5) * low);
}

// R, L1, L2 at x >= 0, in the flattened form R = r p, L1 = l1 p^2, L2 = l2 p^3 with p = 1/(x + 1):
// r, l1 and l2 lie between 1 and 3, so that ratios of the three never under- or overflow.
template <class L>
struct Mills {
  L r, l1, l2;
  L p;

  HWY_INLINE L ratio() const { return r * p; }
  HWY_INLINE L first() const { return l1 * p * p; }
  HWY_INLINE L second() const { return l2 * p * p * p; }
};

template <class L>
HWY_INLINE Mills<L> mills(L x) {
  using T = Element<L>;
  const L bounded = minimum(x, L(kFarthest));
  const L mapped = bounded + L(mills_fit::kMap);
  const L flat = bounded + L(mills_fit::kFlatten);
  const L both = L(1) / (mapped * flat);
  const L t = multiply_add(L(-2 * mills_fit::kMap), both * flat, L(1));
  Mills<L> out{L(0), L(0), L(0), both * mapped};
  if constexpr (std::same_as<T, float>) {
    out.r = polynomial(mills_fit::kRFloat, t);
    out.l1 = polynomial(mills_fit::kL1Float, t);
    out.l2 = polynomial(mills_fit::kL2Float, t);
  } else {
    out.r = polynomial(mills_fit::kRDouble, t);
    out.l1 = polynomial(mills_fit::kL1Double, t);
    out.l2 = polynomial(mills_fit::kL2Double, t);
  }
  return out;
}

// R(x) = Phi(-x)/phi(x) for x >= 0; sqrt(pi/2) erfcx(x/sqrt(2)).
template <class L>
HWY_INLINE L mills_ratio(L x) {
  return mills(x).ratio();
}

template <class L>
HWY_INLINE L normal_cdf(L u) {
  const L tail = normal_density(u) * mills_ratio(absolute(u));
  return select(u > L(0), L(1) - tail, tail);
}

// log Phi(u): -u^2/2 - log sqrt(2 pi) + log R(-u) on the left, log(1 - Phi(-u)) on the right.
template <class L>
inline L log_normal_cdf(L u) {
  const L x = minimum(absolute(u), L(kFarthest));
  const L ratio = mills_ratio(x);
  const L left = logarithm(ratio) - L(kLogSqrtTwoPi) - L(0.5) * x * x;
  const L right = log_one_plus(-(normal_density(x) * ratio));
  return select(u > L(0), right, left);
}

// log(Phi(t)/phi(t)), the logarithm of the Mills ratio carried on to negative arguments: how much
// mass N(t, 1) has on the positive half line, in units of its density at zero.
template <class L>
inline L log_mass_over_density(L t) {
  const L x = minimum(absolute(t), L(kFarthest));
  const L ratio = mills_ratio(x);
  const L right = L(0.5) * x * x + L(kLogSqrtTwoPi) + log_one_plus(-(normal_density(x) * ratio));
  return select(t > L(0), right, logarithm(ratio));
}

// phi(u)/Phi(u), which grows like -u on the left and falls like phi(u) on the right.
template <class L>
HWY_INLINE L hazard(L u) {
  const L x = absolute(u);
  const L ratio = mills_ratio(x);
  const L density = normal_density(x);
  return select(u > L(0), density / (L(1) - density * ratio), L(1) / ratio);
}

// The moments of N(u, 1) on the positive half line, not normalised:
// zeroth = Phi(u), first = u Phi(u) + phi(u), second = (u^2 + 1) Phi(u) + u phi(u).
template <class L>
struct HalfLine {
  L zeroth, first, second;
};

template <class L>
HWY_INLINE HalfLine<L> half_line_moments(L u) {
  const L x = minimum(absolute(u), L(kFarthest));
  const Mills<L> at = mills(x);
  const L density = normal_density(x);
  const L zeroth = density * at.ratio(), first = density * at.first(),
          second = density * at.second();
  const auto right = u > L(0);
  return {select(right, L(1) - zeroth, zeroth), select(right, x + first, first),
          select(right, multiply_add(x, x, L(1)) - second, second)};
}

// The variance of max(X, 0) for X ~ N(u, 1): second - first^2 of the above without cancellation.
template <class L>
HWY_INLINE L rectified_variance(L u) {
  const L x = minimum(absolute(u), L(kFarthest));
  const Mills<L> at = mills(x);
  const L density = normal_density(x);
  const L left = density * (at.second() - density * square(at.first()));
  return select(u > L(0), L(1) - L(2) * density * at.ratio() + left, left);
}

// mean/sqrt(variance), with the limits of a point mass (infinitely many deviations, or none if it
// sits at zero) and of a uniform message (none).
template <class L>
HWY_INLINE L standardised(L mean, L variance) {
  const L farthest = L(kFarthest);
  const L ratio = mean / square_root(variance);
  const L bounded = maximum(minimum(ratio, farthest), -farthest);
  const L at_point = select(mean == L(0), L(0), with_sign_of(farthest, mean));
  return select(variance > L(0), bounded, at_point);
}

// A standard Gaussian N(u, 1) cut to the positive half line and normalised:
//   mean = u + v,  variance = 1 - w,   v = phi(u)/Phi(u),  w = v (v + u).
// `lift` = v + u w. Each is accurate in the relative sense: far left, where v + u, 1 - w and lift
// are differences of almost equal numbers, they come from L1 and L2:
//   v + u = L1/R,   1 - w = (R L2 - L1^2)/R^2,   lift = L2/R^2.
template <class L>
struct Truncated {
  L mean, variance;
  L v, w, lift;
};

template <class L>
inline Truncated<L> truncated_normal(L u) {
  const L x = minimum(absolute(u), L(kFarthest));
  const Mills<L> at = mills(x);
  const L density = normal_density(x);
  const auto right = u > L(0);

  const L v_right = density / (L(1) - density * at.ratio());
  const L w_right = v_right * (v_right + x);

  const L inverse = L(1) / at.r;
  const L squared = inverse * inverse;
  const L w_left = at.l1 * squared;
  const L rest_left = (at.r * at.l2 - at.l1 * at.l1) * squared * at.p * at.p;

  return {select(right, x + v_right, at.l1 * inverse * at.p),
          select(right, L(1) - w_right, rest_left),
          select(right, v_right, (x + L(mills_fit::kFlatten)) * inverse),
          select(right, w_right, w_left),
          select(right, multiply_add(x, w_right, v_right), at.l2 * squared * at.p)};
}

}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_MATH_NORMAL_INL_H_
