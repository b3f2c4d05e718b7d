// A lane is what a message formula is written over: `double` or `float` (one value), or `Lane<D>`
// (a Highway vector, or the first of its lanes). Formulas use the ordinary operators and the
// functions below, and so stand in one place for every width, precision and instruction set.
//
// Included once per Highway target: the guard toggles, as Highway's own -inl.h files do.
//
// Bit equality: vector and one-lane results of the same target are equal to the bit, because both
// are the same sequence of Highway operations. `double` and `Lane<double>` may differ by rounding,
// since multiply_add is fused only where the target has the instruction; lanes of an Unfused tag do not.
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "math/wasm_double-inl.h"

#if defined(POSTRIDER_MATH_LANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_MATH_LANE_INL_H_
#undef POSTRIDER_MATH_LANE_INL_H_
#else
#define POSTRIDER_MATH_LANE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

template <class D>
struct LaneMask {
  hn::Mask<D> bits;

  friend HWY_INLINE LaneMask operator&(LaneMask a, LaneMask b) { return {hn::And(a.bits, b.bits)}; }
  friend HWY_INLINE LaneMask operator|(LaneMask a, LaneMask b) { return {hn::Or(a.bits, b.bits)}; }
  friend HWY_INLINE LaneMask operator!(LaneMask a) { return {hn::Not(a.bits)}; }
};

// A tag of floats whose lanes trade the last bit for time. They divide by an estimate of the
// reciprocal and one Newton step, about three times as fast as division, relative error at most 2e-7;
// denominators must be normal numbers whose reciprocals are normal too (zeros and infinities give
// NaN). And their polynomials are evaluated in pairs, at half the latency.
template <class D>
struct Quick : D {
  using Exact = D;
};
template <class L>
inline constexpr bool kIsQuick = false;

// A tag of lanes that round a product before anything is added to it, as `double` does on every machine: a formula gives the same bits on
// these lanes as on one value.
template <class D>
struct Unfused : D {};
template <class D>
inline constexpr bool kIsUnfused = false;
template <class D>
inline constexpr bool kIsUnfused<Unfused<D>> = true;

// x86 estimates have 12 bits or more, those of other machines may have 8; WebAssembly has none, and Highway divides.
inline constexpr int kReciprocalSteps = HWY_TARGET == HWY_WASM ? 0 : HWY_ARCH_X86 ? 1 : 2;

template <class D, class V>
HWY_INLINE V quick_reciprocal(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  V better = hn::ApproximateReciprocal(x);
  // The error is small where it is rounded, so that a step leaves little but its last rounding.
  for (int step = 0; step < kReciprocalSteps; ++step)
    better = hn::MulAdd(better, hn::NegMulAdd(x, better, one), better);
  return better;
}

// D is a Highway tag: ScalableTag<T> for whole vectors, CappedTag<T, 1> for the remainder, or Quick
// of one.
template <class D>
struct Lane {
  using Tag = D;
  using Element = hn::TFromD<D>;
  using Vector = hn::Vec<D>;
  using Mask = LaneMask<D>;

  Vector vector;

  Lane() = default;
  HWY_INLINE Lane(Vector v) : vector(v) {}  // NOLINT: a lane is its vector
  HWY_INLINE explicit Lane(double constant)
      : vector(hn::Set(D(), static_cast<Element>(constant))) {}

  static HWY_INLINE Lane all(Element value) { return hn::Set(D(), value); }
  static HWY_INLINE Lane load(const Element* from) { return hn::LoadU(D(), from); }
  HWY_INLINE void store(Element* to) const { hn::StoreU(vector, D(), to); }

  friend HWY_INLINE Lane operator+(Lane a, Lane b) { return hn::Add(a.vector, b.vector); }
  friend HWY_INLINE Lane operator-(Lane a, Lane b) { return hn::Sub(a.vector, b.vector); }
  friend HWY_INLINE Lane operator*(Lane a, Lane b) { return hn::Mul(a.vector, b.vector); }
  friend HWY_INLINE Lane operator/(Lane a, Lane b) {
    if constexpr (kIsQuick<Lane>) {
      return hn::Mul(a.vector, quick_reciprocal(typename D::Exact(), b.vector));
    } else {
      return hn::Div(a.vector, b.vector);
    }
  }
  friend HWY_INLINE Lane operator-(Lane a) { return hn::Neg(a.vector); }
  friend HWY_INLINE Mask operator<(Lane a, Lane b) { return {hn::Lt(a.vector, b.vector)}; }
  friend HWY_INLINE Mask operator<=(Lane a, Lane b) { return {hn::Le(a.vector, b.vector)}; }
  friend HWY_INLINE Mask operator>(Lane a, Lane b) { return {hn::Gt(a.vector, b.vector)}; }
  friend HWY_INLINE Mask operator>=(Lane a, Lane b) { return {hn::Ge(a.vector, b.vector)}; }
  friend HWY_INLINE Mask operator==(Lane a, Lane b) { return {hn::Eq(a.vector, b.vector)}; }
};

template <class D>
inline constexpr bool kIsQuick<Lane<Quick<D>>> = true;

// What a lane holds (float or double) and what comparing two lanes gives.
template <class L>
struct LaneTraits {
  using Element = typename L::Element;
  using Mask = typename L::Mask;
};
template <Scalar T>
struct LaneTraits<T> {
  using Element = T;
  using Mask = bool;
};
template <class L>
using Element = typename LaneTraits<L>::Element;
template <class L>
using Mask = typename LaneTraits<L>::Mask;

template <class L>
HWY_INLINE L infinity() {
  return L(std::numeric_limits<double>::infinity());
}
// The smallest number with full precision: below it results are treated as zero.
template <class L>
HWY_INLINE L smallest_normal() {
  return L(static_cast<double>(std::numeric_limits<Element<L>>::min()));
}
template <class L>
HWY_INLINE L largest_finite() {
  return L(static_cast<double>(std::numeric_limits<Element<L>>::max()));
}

// --- one value ---------------------------------------------------------------------------------

template <Scalar T>
HWY_INLINE T select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
template <Scalar T>
HWY_INLINE T absolute(T x) {
  return std::abs(x);
}
template <Scalar T>
HWY_INLINE T square_root(T x) {
  return std::sqrt(x);
}
template <Scalar T>
HWY_INLINE T minimum(T a, T b) {
  return b < a ? b : a;
}
template <Scalar T>
HWY_INLINE T maximum(T a, T b) {
  return a < b ? b : a;
}
template <Scalar T>
HWY_INLINE T multiply_add(T a, T b, T c) {
  return a * b + c;
}
// c - a b
template <Scalar T>
HWY_INLINE T multiply_subtract(T a, T b, T c) {
  return c - a * b;
}
template <Scalar T>
HWY_INLINE T nearest_integer(T x) {
  return std::nearbyint(x);
}
// a b - c
template <Scalar T>
HWY_INLINE T multiply_less(T a, T b, T c) {
  return a * b - c;
}
// The magnitude of `magnitude` with the sign of `sign`.
template <Scalar T>
HWY_INLINE T with_sign_of(T magnitude, T sign) {
  return std::copysign(magnitude, sign);
}

HWY_INLINE bool any(bool mask) { return mask; }
template <Scalar T>
HWY_INLINE T largest_of_lanes(T x) {
  return x;
}

// The integer of the width of a scalar, and the layout of the scalar's bits.
template <Scalar T>
struct Bits;
template <>
struct Bits<float> {
  using Unsigned = uint32_t;
  using Signed = int32_t;
  static constexpr int kMantissa = 23;
  static constexpr Signed kBias = 127;
  static constexpr Unsigned kHighHalf = 0xFFFFF000u;  // 12 significant bits: squares are exact
};
template <>
struct Bits<double> {
  using Unsigned = uint64_t;
  using Signed = int64_t;
  static constexpr int kMantissa = 52;
  static constexpr Signed kBias = 1023;
  static constexpr Unsigned kHighHalf = 0xFFFFFFFFF8000000u;  // 26 significant bits
};
// sqrt(1/2) of either type, as bits: the mantissa's lower end in split_exponent.
template <Scalar T>
inline constexpr auto kSqrtHalfBits =
    std::bit_cast<typename Bits<T>::Unsigned>(static_cast<T>(0.70710678118654752));

// 2^k for an integral k within the exponent range of normal numbers. Of what is not a number some power, as in a vector:
// its caller multiplies it by something that is none either.
template <Scalar T>
HWY_INLINE T power_of_two(T k) {
  using Integer = typename Bits<T>::Signed;
  const Integer exponent = k == k ? static_cast<Integer>(k) : Integer{0};
  return std::bit_cast<T>((exponent + Bits<T>::kBias) << Bits<T>::kMantissa);
}
// x with its lower half of bits cleared, so that its square is exact.
template <Scalar T>
HWY_INLINE T high_half(T x) {
  return std::bit_cast<T>(std::bit_cast<typename Bits<T>::Unsigned>(x) & Bits<T>::kHighHalf);
}
// x = mantissa 2^exponent with mantissa in [sqrt(1/2), sqrt(2)), for normal x > 0.
template <Scalar T>
HWY_INLINE void split_exponent(T x, T& mantissa, T& exponent) {
  using Integer = typename Bits<T>::Signed;
  const Integer bits = std::bit_cast<Integer>(x);
  const Integer k = (bits - static_cast<Integer>(kSqrtHalfBits<T>)) >> Bits<T>::kMantissa;
  exponent = static_cast<T>(k);
  mantissa = std::bit_cast<T>(bits - (k << Bits<T>::kMantissa));
}

// --- Highway vectors ---------------------------------------------------------------------------

template <class D>
HWY_INLINE Lane<D> select(LaneMask<D> mask, Lane<D> yes, Lane<D> no) {
  return hn::IfThenElse(mask.bits, yes.vector, no.vector);
}
template <class D>
HWY_INLINE Lane<D> absolute(Lane<D> x) {
  return hn::Abs(x.vector);
}
template <class D>
HWY_INLINE Lane<D> square_root(Lane<D> x) {
  return hn::Sqrt(x.vector);
}
template <class D>
HWY_INLINE Lane<D> minimum(Lane<D> a, Lane<D> b) {
  return hn::Min(a.vector, b.vector);
}
template <class D>
HWY_INLINE Lane<D> maximum(Lane<D> a, Lane<D> b) {
  return hn::Max(a.vector, b.vector);
}
template <class D>
HWY_INLINE Lane<D> multiply_add(Lane<D> a, Lane<D> b, Lane<D> c) {
  if constexpr (kIsUnfused<D>) return a * b + c;
  return hn::MulAdd(a.vector, b.vector, c.vector);
}
template <class D>
HWY_INLINE Lane<D> multiply_subtract(Lane<D> a, Lane<D> b, Lane<D> c) {
  if constexpr (kIsUnfused<D>) return c - a * b;
  return hn::NegMulAdd(a.vector, b.vector, c.vector);
}
template <class D>
HWY_INLINE Lane<D> multiply_less(Lane<D> a, Lane<D> b, Lane<D> c) {
  if constexpr (kIsUnfused<D>) return a * b - c;
  return hn::MulSub(a.vector, b.vector, c.vector);
}
template <class D>
HWY_INLINE Lane<D> nearest_integer(Lane<D> x) {
  return hn::Round(x.vector);
}
template <class D>
HWY_INLINE Lane<D> with_sign_of(Lane<D> magnitude, Lane<D> sign) {
  return hn::CopySign(magnitude.vector, sign.vector);
}
template <class D>
HWY_INLINE bool any(LaneMask<D> mask) {
  return !hn::AllFalse(D(), mask.bits);
}
template <class D>
HWY_INLINE bool all(LaneMask<D> mask) {
  return hn::AllTrue(D(), mask.bits);
}
template <class D>
HWY_INLINE size_t count(LaneMask<D> mask) {
  return hn::CountTrue(D(), mask.bits);
}
template <class D>
HWY_INLINE hn::TFromD<D> sum_of_lanes(Lane<D> x) {
  return hn::GetLane(hn::SumOfLanes(D(), x.vector));
}
template <class D>
HWY_INLINE hn::TFromD<D> largest_of_lanes(Lane<D> x) {
  return hn::GetLane(hn::MaxOfLanes(D(), x.vector));
}
// The first `count` lanes.
template <class D>
HWY_INLINE LaneMask<D> first_lanes(size_t count) {
  return {hn::FirstN(D(), count)};
}
template <class D>
HWY_INLINE Lane<D> power_of_two(Lane<D> k) {
  using T = hn::TFromD<D>;
  // A number so large that its last bit counts ones: after the sum the low bits are k + bias, which no
  // conversion to integers has to be waited for. Of doubles most targets have none.
  constexpr double kOnes = 1.5 * (uint64_t{1} << Bits<T>::kMantissa);
  const Lane<D> sum = k + Lane<D>(kOnes + static_cast<double>(Bits<T>::kBias));
  const hn::RebindToSigned<D> integers;
  return hn::BitCast(D(), hn::ShiftLeft<Bits<T>::kMantissa>(hn::BitCast(integers, sum.vector)));
}
// x 2^k for y = k + kRounder: the sum has rounded to the integer k and holds it in its lowest bits.
inline constexpr double kRounder = 0x1.8p23;
template <class D>
HWY_INLINE Lane<D> times_rounded_power(Lane<D> x, Lane<D> y) {
  const hn::RebindToSigned<D> integers;
  const auto shift = hn::ShiftLeft<Bits<float>::kMantissa>(hn::BitCast(integers, y.vector));
  return hn::BitCast(D(), hn::Add(hn::BitCast(integers, x.vector), shift));
}
template <class D>
HWY_INLINE Lane<D> high_half(Lane<D> x) {
  const hn::RebindToUnsigned<D> unsigneds;
  const auto mask = hn::Set(unsigneds, Bits<hn::TFromD<D>>::kHighHalf);
  return hn::BitCast(D(), hn::And(hn::BitCast(unsigneds, x.vector), mask));
}
template <class D>
HWY_INLINE void split_exponent(Lane<D> x, Lane<D>& mantissa, Lane<D>& exponent) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> integers;
  const auto bits = hn::BitCast(integers, x.vector);
  const auto from =
      hn::Set(integers, static_cast<hn::TFromD<decltype(integers)>>(kSqrtHalfBits<T>));
  // x is positive and at least the smallest normal number, so an offset by 2^kBias exponents
  // makes the difference positive: the shift may then be a logical one, which every target has.
  const auto offset = hn::Set(integers, static_cast<hn::TFromD<decltype(integers)>>(Bits<T>::kBias)
                                            << Bits<T>::kMantissa);
  const auto shifted = hn::ShiftRight<Bits<T>::kMantissa>(
      hn::BitCast(hn::RebindToUnsigned<D>(), hn::Add(hn::Sub(bits, from), offset)));
  const auto k = hn::Sub(hn::BitCast(integers, shifted), hn::Set(integers, Bits<T>::kBias));
  exponent = hn::ConvertTo(D(), k);
  mantissa = hn::BitCast(D(), hn::Sub(bits, hn::ShiftLeft<Bits<T>::kMantissa>(k)));
}

// --- both --------------------------------------------------------------------------------------

// The estimate of an inverse root has twelve bits on the vector targets of x86; on others it has eight, or
// is an integer's trick; on WebAssembly it is exact. Each Newton step doubles the bits.
inline constexpr int kRootSteps =
    HWY_TARGET == HWY_WASM                                                 ? 0
    : HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 ? 1
                                                                           : 2;

// The square root of x >= 0 and its inverse. Quick lanes take an estimate of the inverse and Newton
// steps, and treat x below 1e-30 as that.
template <class L>
struct Roots {
  L root, inverse;
};
// 1/sqrt(x) for a normal x > 0.
template <class L>
HWY_INLINE L inverse_root(L x) {
  if constexpr (kIsQuick<L>) {
    L inverse = hn::ApproximateReciprocalSqrt(x.vector);
    for (int step = 0; step < kRootSteps; ++step) {
      const L half = L(0.5) * x * inverse;
      inverse = multiply_add(inverse, multiply_subtract(half, inverse, L(0.5)), inverse);
    }
    return inverse;
  } else {
    return L(1) / square_root(x);
  }
}
template <class L>
HWY_INLINE Roots<L> roots(L x) {
  if constexpr (kIsQuick<L>) {
    const L bounded = maximum(x, L(1e-30));
    const L inverse = inverse_root(bounded);
    return {bounded * inverse, inverse};
  } else {
    const L root = square_root(x);
    return {root, L(1) / root};
  }
}

template <class L>
HWY_INLINE L square(L x) {
  return x * x;
}

// Estrin's scheme: neighbours are joined with t, the results with t^2, those with t^4, ...
template <size_t kFirst, class L, size_t N>
HWY_INLINE L polynomial_in_pairs(const double (&coefficient)[N], L t) {
  L part[(N - kFirst + 1) / 2];
  size_t count = 0;
  for (size_t k = kFirst; k < N; k += 2, ++count)
    part[count] =
        k + 1 < N ? multiply_add(t, L(coefficient[k + 1]), L(coefficient[k])) : L(coefficient[k]);
  L power = t * t;
  for (; count > 1; count = (count + 1) / 2, power = power * power)
    for (size_t k = 0; k < count; k += 2)
      part[k / 2] = k + 1 < count ? multiply_add(power, part[k + 1], part[k]) : part[k];
  return part[0];
}

// sum_k coefficient[k] t^(k - kFirst), k from kFirst on, by Horner's rule.
template <size_t kFirst = 0, class L, size_t N>
HWY_INLINE L polynomial(const double (&coefficient)[N], L t) {
  if constexpr (kIsQuick<L>) return polynomial_in_pairs<kFirst>(coefficient, t);
  L sum = L(coefficient[N - 1]);
  for (size_t k = N - 1; k-- > kFirst;) sum = multiply_add(sum, t, L(coefficient[k]));
  return sum;
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_MATH_LANE_INL_H_
