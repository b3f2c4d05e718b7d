// The messages of expectation propagation from a product z = x y. All three messages that come in
// are Gaussian, and with y integrated out what is left is an integral over x alone:
//
//   Z = integral of N(x; m_x, s_x) N(m_z; x m_y, d(x)) dx,   d(x) = s_z + x^2 s_y.
//
// With r(x) = m_z - x m_y and h = d log N(m_z; x m_y, d(x))/dx, expectations under that integrand:
//
//   to x: g1 = E[h],         g2 = -E[h'] - Var[h],
//   to y: g1 = E[x r/d],     g2 = E[x^2/d] - Var[x r/d],   omega = s_z E[1/d] + s_y Var[x r/d],
//   to z: g1 = -E[r/d],      g2 = E[1/d] - Var[r/d],       omega = s_y E[x^2/d] + s_z Var[r/d],
//
// where g1 and -g2 are the first two derivatives of log Z in the mean of that edge's own message and
// omega is the share of its variance that is left.
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
namespace postrider::internal::HWY_NAMESPACE {

inline constexpr int kScanNodes = 24, kMostScans = 12, kFewestNodes = 32, kMostNodes = 2048;
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

// omega = 1 - (own variance) g2 is kept on its own because a strong message leaves little.
template <class L>
struct Slopes {
  L g1, g2, omega;
};

template <class L>
struct ProductSlopes {
  Slopes<L> x, y, z;
};

// The projected marginal divided by the message that came in; the precision may be negative.
template <class L>
HWY_INLINE Message<L> site(const Slopes<L>& at, const Moments<L>& cavity) {
  const L inverse = L(1) / at.omega;
  return {multiply_add(cavity.mean, at.g2, at.g1) * inverse, at.g2 * inverse};
}

// Where the integrand's logarithm is counted from, and r/d at the mean of x, from which r/d and x r/d
// are counted: a vague message from z makes them vary little.
template <class L>
struct ProductOrigin {
  L log_top, pull;
};

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

  HWY_INLINE void add(const ProductIn<L>& in, L x, const ProductOrigin<L>& origin) {
    const L inverse = L(1) / multiply_add(x * x, in.y.variance, in.z.variance);
    const L r = multiply_subtract(x, in.y.mean, in.z.mean);
    const L weight = exponential(log_integrand(in, x) - origin.log_top) * square_root(inverse);
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
    const L pull_y = multiply_subtract(in.x.mean, origin.pull, x * pull);
    const L pull_z = pull - origin.pull;
    y = multiply_add(weight, pull_y, y);
    y_squared = multiply_add(weight, pull_y * pull_y, y_squared);
    y_precision = multiply_add(weight, x * x * inverse, y_precision);
    z = multiply_add(weight, pull_z, z);
    z_squared = multiply_add(weight, pull_z * pull_z, z_squared);
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

  HWY_INLINE ProductSlopes<L> slopes(const ProductIn<L>& in, const ProductOrigin<L>& origin) const {
    const L inverse = L(1) / mass;
    const L y_mean = y_precision * inverse, y_spread = variance(y, y_squared, inverse);
    const L z_mean = z_precision * inverse, z_spread = variance(z, z_squared, inverse);
    return {slopes_x(in.x.variance, inverse),
            {multiply_add(in.x.mean, origin.pull, y * inverse), y_mean - y_spread,
             multiply_add(in.y.variance, y_spread, in.z.variance * z_mean)},
            {-multiply_add(z, inverse, origin.pull), z_mean - z_spread,
             multiply_add(in.z.variance, z_spread, in.y.variance * y_mean)}};
  }

  HWY_INLINE Slopes<L> slopes_x(L own_variance, L inverse) const {
    const L g2 = -(h_slope * inverse) - variance(h, h_squared, inverse);
    const L precision = L(1) / own_variance;
    const L omega = variance(shift, shift_squared, inverse) * precision;
    // Terms larger than 1/s_x that cancel in g2 lose more than the difference 1 - omega does.
    const auto is_weak = (absolute(h_slope) + h_squared) * inverse * own_variance < L(1);
    return {select(is_weak, h * inverse, shift * inverse * precision),
            select(is_weak, g2, (L(1) - omega) * precision),
            select(is_weak, multiply_subtract(own_variance, g2, L(1)), omega)};
  }
};

// Where to integrate, and the largest logarithm seen there.
template <class L>
struct ProductRange {
  L low, high, log_top;
};

// No x gains more over m_x than r(m_x)^2/d(m_x) + log(d(m_x)/s_z), twice the logarithm, in what z
// says of it; beyond the place where its own message has lost that much and more, nothing is left.
template <class L>
HWY_INLINE ProductRange<L> widest_range(const ProductIn<L>& in) {
  const L m = in.x.mean;
  const L d = multiply_add(m * m, in.y.variance, in.z.variance);
  const L r = multiply_subtract(m, in.y.mean, in.z.mean);
  const L reach = square_root(in.x.variance *
                              (r * r / d + logarithm(d / in.z.variance) + L(2 * kForgottenLog)));
  return {m - reach, m + reach, -infinity<L>()};
}

// The part of a range with all the mass, as far as evenly spaced nodes tell.
template <class L>
HWY_INLINE ProductRange<L> scanned(const ProductIn<L>& in, const ProductRange<L>& range) {
  const L step = (range.high - range.low) * L(1.0 / (kScanNodes - 1));
  std::array<L, kScanNodes> log_integrand;
  ProductRange<L> out{range.high, range.low, -infinity<L>()};
  for (int i = 0; i < kScanNodes; ++i) {
    log_integrand[i] = ProductSums<L>::log_integrand(in, multiply_add(step, L(i), range.low));
    out.log_top = maximum(out.log_top, log_integrand[i]);
  }
  for (int i = 0; i < kScanNodes; ++i) {
    const L x = multiply_add(step, L(i), range.low);
    const auto counts = log_integrand[i] > out.log_top - L(kForgottenLog);
    out.low = select(counts, minimum(out.low, x), out.low);
    out.high = select(counts, maximum(out.high, x), out.high);
  }
  // A peak between two nodes reaches past its neighbours.
  out.low = maximum(out.low - L(1.5) * step, range.low);
  out.high = minimum(out.high + L(1.5) * step, range.high);
  return out;
}

// Scans again as long as that leaves less than half of the range. A message from z that is vague and
// far away, such as a clipped one, makes the widest range a thousand times too wide.
template <class L>
HWY_INLINE ProductRange<L> product_range(const ProductIn<L>& in) {
  ProductRange<L> range = widest_range(in);
  for (int i = 0; i < kMostScans; ++i) {
    const L before = range.high - range.low;
    range = scanned(in, range);
    if (!any(range.high - range.low < L(0.5) * before)) break;
  }
  return range;
}

template <class L>
HWY_INLINE Mask<L> halves_differ(const Slopes<L>& all, const Slopes<L>& half, L variance) {
  return !(absolute(all.g2 - half.g2) * variance < L(kHalvesAgree));
}

// `unresolved` is 1 where the largest number of nodes was not enough, else 0.
template <class L>
HWY_INLINE ProductSlopes<L> product_slopes(const ProductIn<L>& in, L& unresolved) {
  const ProductRange<L> range = product_range(in);
  const L d = multiply_add(in.x.mean * in.x.mean, in.y.variance, in.z.variance);
  const ProductOrigin<L> origin{range.log_top,
                                multiply_subtract(in.x.mean, in.y.mean, in.z.mean) / d};
  ProductSlopes<L> out;
  for (int nodes = kFewestNodes;; nodes *= 2) {
    const L step = (range.high - range.low) * L(1.0 / (nodes - 1));
    ProductSums<L> even = ProductSums<L>::nothing(), odd = even;
    for (int i = 0; i < nodes; i += 2) {
      even.add(in, multiply_add(step, L(i), range.low), origin);
      odd.add(in, multiply_add(step, L(i + 1), range.low), origin);
    }
    out = even.plus(odd).slopes(in, origin);
    const ProductSlopes<L> half = even.slopes(in, origin);
    const auto differ = halves_differ(out.x, half.x, in.x.variance) |
                        halves_differ(out.y, half.y, in.y.variance) |
                        halves_differ(out.z, half.z, in.z.variance);
    unresolved = select(differ, L(1), L(0));
    if (!any(differ) || nodes >= kMostNodes) return out;
  }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_EXPERIMENTS_PROJECTED_PRODUCT_INL_H_
