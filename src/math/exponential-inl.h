// exp, log and log(1 + x) on lanes. Accuracy and range: docs/reference/special-functions.md.
#include "math/cut_coefficients.h"
#include "math/lane-inl.h"

#if defined(POSTRIDER_MATH_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_MATH_EXPONENTIAL_INL_H_
#undef POSTRIDER_MATH_EXPONENTIAL_INL_H_
#else
#define POSTRIDER_MATH_EXPONENTIAL_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// ln 2 in two parts; the first has so few bits that its product with an exponent is exact.
template <class T>
struct LogTwo;
template <>
struct LogTwo<float> {
  static constexpr double kHigh = 0.693359375;
  static constexpr double kLow = -2.12194440054690583e-4;
};
template <>
struct LogTwo<double> {
  static constexpr double kHigh = 6.93147180369123816490e-1;
  static constexpr double kLow = 1.90821492927058770002e-10;
};

inline constexpr double kLogTwoOfE = 1.44269504088896340736;

// Where exp leaves the normal numbers.
template <class T>
struct ExpRange;
template <>
struct ExpRange<float> {
  static constexpr double kLowest = -87.3;
  static constexpr double kHighest = 88.7;
};
template <>
struct ExpRange<double> {
  static constexpr double kLowest = -708.3;
  static constexpr double kHighest = 709.7;
};

// 1/n!: the remainder is at most ln(2)/2 in size, where these many terms leave less than a
// rounding.
inline constexpr double kExpFloat[] = {1.0,      1.0,       1.0 / 2,   1.0 / 6,
                                       1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
// clang-format off
inline constexpr double kExpDouble[] = {
    1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
    1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
// clang-format on
// 1/(2n + 1): atanh(s)/s in powers of s^2 <= 0.0295.
inline constexpr double kLogFloat[] = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11};
inline constexpr double kLogDouble[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                        1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};

// exp(high + low) for |low| far below |high|: the low part keeps the accuracy of arguments that
// are themselves products, such as -x^2/2. Zero below the normal numbers, infinite above.
// Quick lanes give the smallest normal number for zero and a large one for infinity.
template <class L>
inline L exp_of_sum(L high, L low) {
  using T = Element<L>;
  const L lowest = L(ExpRange<T>::kLowest), highest = L(ExpRange<T>::kHighest);
  if constexpr (kIsQuick<L>) {
    const L x = maximum(minimum(high + low, highest), lowest);
    const L rounded = multiply_add(x, L(kLogTwoOfE), L(kRounder)), k = rounded - L(kRounder);
    const L r = multiply_add(k, L(-LogTwo<T>::kLow), multiply_add(k, L(-LogTwo<T>::kHigh), x));
    return times_rounded_power(polynomial(kExpFloat, r), rounded);
  }
  const L x = maximum(minimum(high, highest), lowest);
  const L k = nearest_integer(x * L(kLogTwoOfE));
  L r = multiply_add(k, L(-LogTwo<T>::kHigh), x);
  r = multiply_add(k, L(-LogTwo<T>::kLow), r) + select(x == high, low, L(0));
  L series(0);
  if constexpr (std::same_as<T, float>) {
    series = polynomial(kExpFloat, r);
  } else {
    series = polynomial(kExpDouble, r);
  }
  // 2^k in two steps: k itself may be one more than the largest exponent.
  const L half = nearest_integer(k * L(0.5));
  const L value = series * power_of_two(half) * power_of_two(k - half);
  return select(high < lowest, L(0), select(high > highest, infinity<L>(), value));
}

// exp(-y/2) for y >= 0 on quick lanes: a relative error of a rounding of y. Never zero, but 2^-125.
template <class L>
HWY_INLINE L exp_of_minus_half(L y) {
  static_assert(kIsQuick<L>);
  const L power = maximum(y * L(-0.5 * kLogTwoOfE), L(-125));
  const L rounded = power + L(kRounder);
  return times_rounded_power(polynomial(cut_fit::kTwoToThe, power - (rounded - L(kRounder))),
                             rounded);
}

template <class L>
HWY_INLINE L exponential(L x) {
  return exp_of_sum(x, L(0));
}

// exp(x) - 1, accurate for small |x|: from the series there, from exp elsewhere.
template <class L>
inline L exp_minus_one(L x) {
  const auto small = absolute(x) < L(0.34);
  const L inside = select(small, x, L(0));
  L series(0);  // (exp(x) - 1)/x
  if constexpr (std::same_as<Element<L>, float>) {
    series = polynomial<1>(kExpFloat, inside);
  } else {
    series = polynomial<1>(kExpDouble, inside);
  }
  return select(small, inside * series, exponential(x) - L(1));
}

// log x for x > 0; -infinity at 0 (and for numbers below the normal ones), +infinity at +infinity.
template <class L>
inline L logarithm(L x) {
  using T = Element<L>;
  const L bounded = minimum(maximum(x, smallest_normal<L>()), largest_finite<L>());
  L m(1), k(0);
  split_exponent(bounded, m, k);
  // log m = 2 atanh(s), s = (m - 1)/(m + 1).
  const L s = (m - L(1)) / (m + L(1));
  const L s2 = s * s;
  L series(0);
  if constexpr (std::same_as<T, float>) {
    series = polynomial(kLogFloat, s2);
  } else {
    series = polynomial(kLogDouble, s2);
  }
  const L log_m = (s + s) * series;
  const L value = multiply_add(k, L(LogTwo<T>::kHigh), multiply_add(k, L(LogTwo<T>::kLow), log_m));
  return select(x < smallest_normal<L>(), -infinity<L>(),
                select(x > largest_finite<L>(), infinity<L>(), value));
}

// log(1 + y) for y > -1, -infinity at -1; accurate for small |y|: what 1 + y rounds away is put
// back to first order.
template <class L>
inline L log_one_plus(L y) {
  const L u = L(1) + y;
  const L lost = y - (u - L(1));
  const L value = logarithm(u) + lost / u;
  return select(u > L(0), select(u > largest_finite<L>(), u, value), -infinity<L>());
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_MATH_EXPONENTIAL_INL_H_
