// Vectors of doubles for WebAssembly. Highway has none there before its version 1.1, and its release for Debian 12 is 1.0.3; the processor's
// instructions are there. What formulas and sweeps call is here and no more, in Highway's own namespace, where its templates find it.
//
// Included once per Highway target: the guard toggles, as Highway's own -inl.h files do.
#include "hwy/highway.h"

#if defined(POSTRIDER_MATH_WASM_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_MATH_WASM_DOUBLE_INL_H_
#undef POSTRIDER_MATH_WASM_DOUBLE_INL_H_
#else
#define POSTRIDER_MATH_WASM_DOUBLE_INL_H_
#endif

#if HWY_TARGET == HWY_WASM && !HWY_HAVE_FLOAT64

HWY_BEFORE_NAMESPACE();
namespace hwy::HWY_NAMESPACE {

template <size_t N>
using Doubles = Vec128<double, N>;
template <size_t N>
using DoubleMask = Mask128<double, N>;

template <size_t N, HWY_IF_LE128(double, N)>
HWY_API Doubles<N> Set(Simd<double, N, 0>, double value) {
  return Doubles<N>{wasm_f64x2_splat(value)};
}

template <size_t N>
HWY_API Doubles<N> operator+(Doubles<N> a, Doubles<N> b) {
  return Doubles<N>{wasm_f64x2_add(a.raw, b.raw)};
}
template <size_t N>
HWY_API Doubles<N> operator-(Doubles<N> a, Doubles<N> b) {
  return Doubles<N>{wasm_f64x2_sub(a.raw, b.raw)};
}
template <size_t N>
HWY_API Doubles<N> operator*(Doubles<N> a, Doubles<N> b) {
  return Doubles<N>{wasm_f64x2_mul(a.raw, b.raw)};
}
template <size_t N>
HWY_API Doubles<N> operator/(Doubles<N> a, Doubles<N> b) {
  return Doubles<N>{wasm_f64x2_div(a.raw, b.raw)};
}
template <size_t N>
HWY_API Doubles<N> MulAdd(Doubles<N> a, Doubles<N> b, Doubles<N> c) {
  return a * b + c;
}
template <size_t N>
HWY_API Doubles<N> NegMulAdd(Doubles<N> a, Doubles<N> b, Doubles<N> c) {
  return c - a * b;
}
template <size_t N>
HWY_API Doubles<N> MulSub(Doubles<N> a, Doubles<N> b, Doubles<N> c) {
  return a * b - c;
}
template <size_t N>
HWY_API Doubles<N> Abs(Doubles<N> x) {
  return Doubles<N>{wasm_f64x2_abs(x.raw)};
}
template <size_t N>
HWY_API Doubles<N> Sqrt(Doubles<N> x) {
  return Doubles<N>{wasm_f64x2_sqrt(x.raw)};
}
template <size_t N>
HWY_API Doubles<N> Round(Doubles<N> x) {
  return Doubles<N>{wasm_f64x2_nearest(x.raw)};
}
// The second where one is not a number, as on x86 and as Highway's own for floats.
template <size_t N>
HWY_API Doubles<N> Min(Doubles<N> a, Doubles<N> b) {
  return Doubles<N>{wasm_f64x2_pmin(b.raw, a.raw)};
}
template <size_t N>
HWY_API Doubles<N> Max(Doubles<N> a, Doubles<N> b) {
  return Doubles<N>{wasm_f64x2_pmax(b.raw, a.raw)};
}

template <size_t N>
HWY_API DoubleMask<N> operator==(Doubles<N> a, Doubles<N> b) {
  return DoubleMask<N>{wasm_f64x2_eq(a.raw, b.raw)};
}
template <size_t N>
HWY_API DoubleMask<N> operator<(Doubles<N> a, Doubles<N> b) {
  return DoubleMask<N>{wasm_f64x2_lt(a.raw, b.raw)};
}
template <size_t N>
HWY_API DoubleMask<N> operator<=(Doubles<N> a, Doubles<N> b) {
  return DoubleMask<N>{wasm_f64x2_le(a.raw, b.raw)};
}
template <size_t N>
HWY_API DoubleMask<N> operator>(Doubles<N> a, Doubles<N> b) {
  return b < a;
}
template <size_t N>
HWY_API DoubleMask<N> operator>=(Doubles<N> a, Doubles<N> b) {
  return b <= a;
}

// Highway's own would take the bits for a whole number.
template <size_t N>
HWY_API double GetLane(Doubles<N> x) {
  return wasm_f64x2_extract_lane(x.raw, 0);
}

template <size_t N>
HWY_API Doubles<N> PromoteTo(Simd<double, N, 0>, Vec128<float, N> x) {
  return Doubles<N>{wasm_f64x2_promote_low_f32x4(x.raw)};
}
// There is no instruction for it: one lane after the other.
template <size_t N>
HWY_API Doubles<N> ConvertTo(Simd<double, N, 0>, Vec128<int64_t, N> x) {
  return Doubles<N>{wasm_f64x2_make(static_cast<double>(wasm_i64x2_extract_lane(x.raw, 0)),
                                    static_cast<double>(wasm_i64x2_extract_lane(x.raw, 1)))};
}

}  // namespace hwy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_TARGET == HWY_WASM && !HWY_HAVE_FLOAT64
#endif  // POSTRIDER_MATH_WASM_DOUBLE_INL_H_
