// The messages of expectation propagation from a product z = x y. All three messages that come in
// are Gaussian, and with y integrated out what is left is an integral over x alone:
//
//   Z = integral of N(x; m_x, s_x) N(m_z; x m_y, d(x)) dx,   d(x) = s_z + x^2 s_y.
//
// With r(x) = m_z - x m_y and h = d log N(m_z; x m_y, d(x))/dx, expectations under that integrand:
//
//   to x: g1 = E[h],         g2 = -E[h'] - Var[h],
//   to y: g1 = E[x r/d],     g2 = E[x^2/d] - Var[x r/d],
//   to z: g1 = -E[r/d],      g2 = E[1/d] - Var[r/d],
//
// where g1 and -g2 are the first two derivatives of log Z in the mean of that edge's own message.
// The projected marginal divided by that message is then as in factor/tilted-inl.h, a form in which
// a weak message keeps its digits and with them its sign. To x it is used for weak messages only; for
// others the integrand's mean and variance are better.
//
// Quadrature: the trapezoidal rule, which converges faster than any power of the spacing where the
// integrand is smooth and dies out on both sides. The number of nodes is doubled until every other
// node alone gives nearly the same.
#include <array>

#include "factor/concept-inl.h"

#if defined(POSTRIDER_EXPERIMENTS_PROJECTED_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_EXPERIMENTS_PROJECTED_PRODUCT_INL_H_
#undef POSTRIDER_EXPERIMENTS_PROJECTED_PRODUCT_INL_H_
#else
#define POSTRIDER_EXPERIMENTS_PROJECTED_PRODUCT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {

inline constexpr int kScanNodes = 24, kFewestNodes = 32, kMostNodes = 2048;
// The integrand is left out where its logarithm has fallen by so much from its largest value.
inline constexpr double kForgottenLog = 36;
// Between a sum over all nodes and one over every other, where g2 = 1/s_x is of size 1. The error
// of the former is about the square of this.
inline constexpr double kHalvesAgree = 1e-7;

// The product's incoming messages; s_x and s_y may be zero, s_z is positive.
template <class L>
struct ProductIn {
  Moments<L> x, y, z;
};

// d log Z/dm and -d^2 log Z/dm^2.
template <class L>
struct Slopes {
  L g1, g2;
};

template <class L>
struct ProductSlopes {
  Slopes<L> x, y, z;
};

// The projected marginal divided by the message that came in; the precision may be negative.
template <class L>
HWY_INLINE Message<L> site(const Slopes<L>& at, const Moments<L>& cavity) {
  const L inverse = L(1) / multiply_subtract(cavity.variance, at.g2, L(1));
  return {multiply_add(cavity.mean, at.g2, at.g1) * inverse, at.g2 * inverse};
}

// Sums over nodes of the integrand times what the slopes need.
template <class L>
struct ProductSums {
  L mass, h, h_squared, h_slope, shift, shift_squared;
  L y, y_squared, y_precision;
  L z, z_squared, z_precision;

  static HWY_INLINE ProductSums nothing() {
    const L zero(0);
    return {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  }

  HWY_INLINE void add(const ProductIn<L>& in, L x, L log_top) {
    const L inverse = L(1) / multiply_add(x * x, in.y.variance, in.z.variance);
    const L r = multiply_subtract(x, in.y.mean, in.z.mean);
    const L weight = exponential(log_integrand(in, x) - log_top) * square_root(inverse);
    const L pull = r * inverse;                  // r/d
    const L bend = x * in.y.variance * inverse;  // d'/(2 d)
    const L slope = multiply_add(pull, multiply_add(r, bend, in.y.mean), -bend);
    const L q = in.y.variance * inverse;
    const L curve = -q + L(2) * bend * bend - in.y.mean * in.y.mean * inverse -
                    L(4) * pull * in.y.mean * bend + r * pull * (q - L(4) * bend * bend);
    mass = mass + weight;
    h = multiply_add(weight, slope, h);
    h_squared = multiply_add(weight, slope * slope, h_squared);
    h_slope = multiply_add(weight, curve, h_slope);
    const L gap = x - in.x.mean;
    shift = multiply_add(weight, gap, shift);
    shift_squared = multiply_add(weight, gap * gap, shift_squared);
    y = multiply_add(weight, x * pull, y);
    y_squared = multiply_add(weight, square(x * pull), y_squared);
    y_precision = multiply_add(weight, x * x * inverse, y_precision);
    z = multiply_add(weight, pull, z);
    z_squared = multiply_add(weight, pull * pull, z_squared);
    z_precision = multiply_add(weight, inverse, z_precision);
  }

  // The logarithm but for the root of d, which add() puts in without a logarithm.
  static HWY_INLINE L log_integrand(const ProductIn<L>& in, L x) {
    const L gap = x - in.x.mean, r = multiply_subtract(x, in.y.mean, in.z.mean);
    const L own = select(in.x.variance > L(0), gap * gap / in.x.variance, L(0));
    return L(-0.5) * (own + r * r / multiply_add(x * x, in.y.variance, in.z.variance));
  }

  HWY_INLINE ProductSums plus(const ProductSums& other) const {
    return {mass + other.mass,
            h + other.h,
            h_squared + other.h_squared,
            h_slope + other.h_slope,
            shift + other.shift,
            shift_squared + other.shift_squared,
            y + other.y,
            y_squared + other.y_squared,
            y_precision + other.y_precision,
            z + other.z,
            z_squared + other.z_squared,
            z_precision + other.z_precision};
  }

  // E[f^2] - E[f]^2 from the two sums.
  static HWY_INLINE L variance(L sum, L squares, L inverse) {
    return multiply_subtract(sum * inverse, sum * inverse, squares * inverse);
  }

  HWY_INLINE ProductSlopes<L> slopes(L variance_x) const {
    const L inverse = L(1) / mass;
    const Slopes<L> weak{h * inverse, -(h_slope * inverse) - variance(h, h_squared, inverse)};
    // Terms larger than 1/s_x that cancel in g2 lose more than a difference of variances does.
    const L own = L(1) / variance_x;
    const Slopes<L> strong{shift * inverse * own,
                           own - variance(shift, shift_squared, inverse) * own * own};
    const auto is_weak = (absolute(h_slope) + h_squared) * inverse * variance_x < L(1);
    return {{select(is_weak, weak.g1, strong.g1), select(is_weak, weak.g2, strong.g2)},
            {y * inverse, y_precision * inverse - variance(y, y_squared, inverse)},
            {-(z * inverse), z_precision * inverse - variance(z, z_squared, inverse)}};
  }
};

// Where to integrate, and the largest logarithm seen there.
template <class L>
struct ProductRange {
  L low, high, log_top;
};

// No x gains more over m_x than r(m_x)^2/d(m_x) + log(d(m_x)/s_z), twice the logarithm, in what z
// says of it; beyond the place where its own message has lost that much and more, nothing is left.
// A scan of that range then finds the part with all the mass.
template <class L>
HWY_INLINE ProductRange<L> product_range(const ProductIn<L>& in) {
  const L m = in.x.mean;
  const L d = multiply_add(m * m, in.y.variance, in.z.variance);
  const L r = multiply_subtract(m, in.y.mean, in.z.mean);
  const L reach = square_root(in.x.variance *
                              (r * r / d + logarithm(d / in.z.variance) + L(2 * kForgottenLog)));
  const L step = reach * L(2.0 / (kScanNodes - 1));
  std::array<L, kScanNodes> scanned;
  ProductRange<L> out{m + reach, m - reach, -infinity<L>()};
  for (int i = 0; i < kScanNodes; ++i) {
    scanned[i] = ProductSums<L>::log_integrand(in, multiply_add(step, L(i), m - reach));
    out.log_top = maximum(out.log_top, scanned[i]);
  }
  for (int i = 0; i < kScanNodes; ++i) {
    const L x = multiply_add(step, L(i), m - reach);
    const auto counts = scanned[i] > out.log_top - L(kForgottenLog);
    out.low = select(counts, minimum(out.low, x), out.low);
    out.high = select(counts, maximum(out.high, x), out.high);
  }
  // A peak between two nodes reaches past its neighbours.
  out.low = maximum(out.low - L(1.5) * step, m - reach);
  out.high = minimum(out.high + L(1.5) * step, m + reach);
  return out;
}

template <class L>
HWY_INLINE Mask<L> halves_differ(const Slopes<L>& all, const Slopes<L>& half, L variance) {
  return !(absolute(all.g2 - half.g2) * variance < L(kHalvesAgree));
}

// `unresolved` is 1 where the largest number of nodes was not enough, else 0.
template <class L>
HWY_INLINE ProductSlopes<L> product_slopes(const ProductIn<L>& in, L& unresolved) {
  const ProductRange<L> range = product_range(in);
  ProductSlopes<L> out;
  for (int nodes = kFewestNodes;; nodes *= 2) {
    const L step = (range.high - range.low) * L(1.0 / (nodes - 1));
    ProductSums<L> even = ProductSums<L>::nothing(), odd = even;
    for (int i = 0; i < nodes; i += 2) {
      even.add(in, multiply_add(step, L(i), range.low), range.log_top);
      odd.add(in, multiply_add(step, L(i + 1), range.low), range.log_top);
    }
    out = even.plus(odd).slopes(in.x.variance);
    const ProductSlopes<L> half = even.slopes(in.x.variance);
    const auto differ = halves_differ(out.x, half.x, in.x.variance) |
                        halves_differ(out.y, half.y, in.y.variance) |
                        halves_differ(out.z, half.z, in.z.variance);
    unresolved = select(differ, L(1), L(0));
    if (!any(differ) || nodes >= kMostNodes) return out;
  }
}

}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_EXPERIMENTS_PROJECTED_PRODUCT_INL_H_
