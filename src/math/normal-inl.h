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
#include "math/cut_coefficients.h"
#include "math/exponential-inl.h"
#include "math/mills_coefficients.h"

#if defined(POSTRIDER_MATH_NORMAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_MATH_NORMAL_INL_H_
#undef POSTRIDER_MATH_NORMAL_INL_H_
#else
#define POSTRIDER_MATH_NORMAL_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

inline constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
inline constexpr double kSqrtTwoPi = 2.50662827463100050242;
inline constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;

// Beyond this many deviations a Gaussian has no mass that either type can hold; arguments are
// bounded here so that squares and products stay finite in float.
inline constexpr double kFarthest = 1e18;

// phi(x) = exp(-x^2/2)/sqrt(2 pi). The square is split into an exact and a small part, without
// which the relative error would grow like x^2.
template <class L>
inline L normal_density(L x) {
  if constexpr (kIsQuick<L>) return L(kInverseSqrtTwoPi) * exp_of_minus_half(x * x);
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

// phi(u)/Phi(u), which grows like -u on the left and falls like phi(u) on the right.
template <class L>
HWY_INLINE L hazard(L u) {
  const L x = absolute(u);
  const L ratio = mills_ratio(x);
  const L density = normal_density(x);
  return select(u > L(0), density / (L(1) - density * ratio), L(1) / ratio);
}

// max(X, 0) for X ~ N(u, 1): the probability that it is not zero, its mean beyond max(u, 0), and its
// variance, (u^2 + 1) Phi(u) + u phi(u) - (u Phi(u) + phi(u))^2 without cancellation.
template <class L>
struct Rectified {
  L probability;  // Phi(u)
  L spill;
  L variance;
};

// Quick lanes take N(-x, 1), x >= 0, cut to the positive half line and normalised, from one rational
// function: its mean e = L1/R and its variance B = L2/R - e^2. The hazard 1/R is then x + e, and nothing
// is divided by R. Beyond kQuickFarthest deviations x counts as that.
inline constexpr double kQuickFarthest = 2e5;
template <class L>
struct LeftCut {
  L mean, variance;
};
template <class L>
HWY_INLINE LeftCut<L> left_cut(L x) {
  const L inverse = L(1) / polynomial(cut_fit::kBelow, x);
  return {polynomial(cut_fit::kMean, x) * inverse, polynomial(cut_fit::kVariance, x) * inverse};
}

template <class L>
HWY_INLINE Rectified<L> quick_rectified(L u) {
  const L x = minimum(absolute(u), L(kQuickFarthest));
  const LeftCut<L> cut = left_cut(x);
  const L tail = normal_density(x) / (x + cut.mean);
  const L spill = tail * cut.mean;
  // The part that is not zero has mean e and variance B.
  const L left = tail * multiply_add(cut.mean, cut.mean - spill, cut.variance);
  const auto right = u > L(0);
  return {select(right, L(1) - tail, tail), spill,
          select(right, multiply_subtract(L(2), tail, L(1)) + left, left)};
}

template <class L>
HWY_INLINE Rectified<L> rectified(L u) {
  if constexpr (kIsQuick<L>) return quick_rectified(u);
  const L x = minimum(absolute(u), L(kFarthest));
  const Mills<L> at = mills(x);
  const L density = normal_density(x);
  const L tail = density * at.ratio(), spill = density * at.first();
  const L left = multiply_subtract(spill, spill, density * at.second());
  const auto right = u > L(0);
  return {select(right, L(1) - tail, tail), spill,
          select(right, multiply_subtract(L(2), tail, L(1)) + left, left)};
}

// mean/sqrt(variance), with the limits of a point mass (infinitely many deviations, or none if it
// sits at zero) and of a uniform message (none).
template <class L>
HWY_INLINE L in_deviations(L mean, const Roots<L>& of_variance) {
  const L farthest = L(kFarthest);
  if constexpr (kIsQuick<L>)
    return maximum(minimum(mean * of_variance.inverse, farthest), -farthest);
  const L bounded = maximum(minimum(mean / of_variance.root, farthest), -farthest);
  const L at_point = select(mean == L(0), L(0), with_sign_of(farthest, mean));
  return select(of_variance.root > L(0), bounded, at_point);
}
template <class L>
HWY_INLINE L standardised(L mean, L variance) {
  return in_deviations(mean, roots(variance));
}

// A standard Gaussian N(u, 1) cut to the positive half line and normalised:
//   mean = u + v,  variance = 1 - w,   v = phi(u)/Phi(u),  w = v (v + u).
// `lift` = v + u w. Each is accurate in the relative sense: far left, where v + u, 1 - w and lift
// are differences of almost equal numbers, they come from L1 and L2:
//   v + u = L1/R,   1 - w = (R L2 - L1^2)/R^2,   lift = L2/R^2.
// `scaled_mass` is Phi(u)/phi(u) without the factor exp(u^2/2) that it has for u > 0.
template <class L>
struct Truncated {
  L mean, variance;
  L v, w, lift;
  L scaled_mass;
};

// On quick lanes: both sides of zero in one formula. `decay` is exp(-u^2/2) for u > 0, else one; with the
// hazard h at -|u|, kept = sqrt(2 pi) h Phi(u) on the right and one on the left, v = h decay/kept and
// scaled_mass = kept/h on both.
template <class L>
struct QuickCut {
  L mean, variance;
  L v, w;
  L hazard, kept;
};
template <class L>
HWY_INLINE QuickCut<L> quick_cut(L u, L decay) {
  const L x = minimum(absolute(u), L(kQuickFarthest));
  const LeftCut<L> left = left_cut(x);
  const auto right = u > L(0);
  const L h = x + left.mean;
  const L kept = select(right, multiply_less(L(kSqrtTwoPi), h, decay), L(1));
  const L v = h * decay / kept;
  const L mean = select(right, u + v, left.mean);
  const L w = v * mean;
  return {mean, select(right, L(1) - w, left.variance), v, w, h, kept};
}

template <class L>
inline Truncated<L> truncated_normal(L u) {
  if constexpr (kIsQuick<L>) {
    const QuickCut<L> cut = quick_cut(u, exp_of_minus_half(square(maximum(u, L(0)))));
    const L lift = select(u > L(0), multiply_add(u, cut.w, cut.v),
                          cut.hazard * multiply_add(cut.mean, cut.mean, cut.variance));
    return {cut.mean, cut.variance, cut.v, cut.w, lift, cut.kept / cut.hazard};
  }
  const L x = minimum(absolute(u), L(kFarthest));
  const Mills<L> at = mills(x);
  const L density = normal_density(x);
  const auto right = u > L(0);

  const L mass_right = L(1) - density * at.ratio();
  const L v_right = density / mass_right;
  const L w_right = v_right * (v_right + x);

  const L inverse = L(1) / at.r;
  const L squared = inverse * inverse;
  const L w_left = at.l1 * squared;
  const L rest_left = (at.r * at.l2 - at.l1 * at.l1) * squared * at.p * at.p;

  return {select(right, x + v_right, at.l1 * inverse * at.p),
          select(right, L(1) - w_right, rest_left),
          select(right, v_right, (x + L(mills_fit::kFlatten)) * inverse),
          select(right, w_right, w_left),
          select(right, multiply_add(x, w_right, v_right), at.l2 * squared * at.p),
          select(right, L(kSqrtTwoPi) * mass_right, at.ratio())};
}

// Two of them, at t_1 and t_2, with their masses in proportion: Phi(t_1)/phi(t_1) to Phi(t_2)/phi(t_2),
// the larger of the factors exp(t^2/2), t > 0, taken out.
template <class L>
struct CutPair {
  Truncated<L> first, second;
  L first_mass, second_mass;
};

template <class L>
HWY_INLINE CutPair<L> cut_pair(L t_1, L t_2) {
  const L inside_1 = maximum(t_1, L(0)), inside_2 = maximum(t_2, L(0));
  const auto one_leads = inside_1 > inside_2;
  const L apart = absolute(inside_1 - inside_2) * (inside_1 + inside_2);
  if constexpr (kIsQuick<L>) {
    // Two exponentials for the two densities and their ratio.
    const L lag = exp_of_minus_half(apart);
    const L nearer = exp_of_minus_half(square(minimum(inside_1, inside_2)));
    const L farther = nearer * lag;
    const QuickCut<L> a = quick_cut(t_1, select(one_leads, farther, nearer));
    const QuickCut<L> b = quick_cut(t_2, select(one_leads, nearer, farther));
    const L mass_1 = a.kept * b.hazard, mass_2 = b.kept * a.hazard;
    return {{a.mean, a.variance, a.v, a.w, L(0), L(0)},
            {b.mean, b.variance, b.v, b.w, L(0), L(0)},
            select(one_leads, mass_1, mass_1 * lag),
            select(one_leads, mass_2 * lag, mass_2)};
  } else {
    const L lag = exponential(L(-0.5) * apart);
    const Truncated<L> a = truncated_normal(t_1), b = truncated_normal(t_2);
    return {a, b, select(one_leads, a.scaled_mass, a.scaled_mass * lag),
            select(one_leads, b.scaled_mass * lag, b.scaled_mass)};
  }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_MATH_NORMAL_INL_H_
