#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "math/simd_level.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/lane_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "math/lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

// Numbers of every kind, of both signs, zero included; halves lie between two integers.
template <class T>
std::vector<T> samples() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all;
  for (const T x : {T(0), Limits::min(), Limits::epsilon(), T(0.3), T(0.5), T(1), T(1.5), T(2.5),
                    T(3.75), T(1e6), T(1.2345678901234567), Limits::max(), Limits::infinity()})
    for (const T sign : {T(1), T(-1)}) all.push_back(sign * x);
  return all;
}

// Every lane holds the same in these tests: the first one stands for all.
template <class L>
Element<L> value_of(L lane) {
  if constexpr (Scalar<L>) {
    return lane;
  } else {
    Element<L> values[HWY_MAX_BYTES / sizeof(Element<L>)];
    lane.store(values);
    return values[0];
  }
}
template <class L>
L from(Element<L> value) {
  return L(static_cast<double>(value));
}

template <class L>
void expect_value(L lane, Element<L> expected, const char* what, Element<L> a, Element<L> b = 0) {
  const Element<L> value = value_of(lane);
  // The sign of a zero counts, the payload of a NaN does not.
  const bool same = std::isnan(expected)
                        ? std::isnan(value)
                        : value == expected && std::signbit(value) == std::signbit(expected);
  EXPECT_TRUE(same) << what << " of " << a << ", " << b << ": " << value << " instead of "
                    << expected;
}

template <class L>
void test_unary(Element<L> a) {
  using T = Element<L>;
  const L x = from<L>(a);
  expect_value(-x, -a, "minus", a);
  expect_value(absolute(x), std::fabs(a), "absolute", a);
  expect_value(square(x), a * a, "square", a);
  if (a >= 0) expect_value(square_root(x), std::sqrt(a), "square_root", a);
  // Halves go to the even integer. Large numbers are integers already.
  if (std::abs(a) < T(1e9)) {
    EXPECT_EQ(value_of(nearest_integer(x)), std::nearbyint(a)) << "nearest_integer of " << a;
  }
}

template <class L>
void test_binary(Element<L> a, Element<L> b) {
  using T = Element<L>;
  const L x = from<L>(a), y = from<L>(b);
  expect_value(x + y, a + b, "sum", a, b);
  expect_value(x - y, a - b, "difference", a, b);
  expect_value(x * y, a * b, "product", a, b);
  expect_value(x / y, a / b, "quotient", a, b);
  expect_value(with_sign_of(x, y), std::copysign(a, b), "with_sign_of", a, b);
  EXPECT_EQ(value_of(minimum(x, y)), std::min(a, b));
  EXPECT_EQ(value_of(maximum(x, y)), std::max(a, b));

  const L yes(1), no(0);
  const auto truth = [&](auto mask) HWY_ATTR { return value_of(select(mask, yes, no)) == T(1); };
  EXPECT_EQ(truth(x < y), a < b);
  EXPECT_EQ(truth(x <= y), a <= b);
  EXPECT_EQ(truth(x > y), a > b);
  EXPECT_EQ(truth(x >= y), a >= b);
  EXPECT_EQ(truth(x == y), a == b);
  EXPECT_EQ(truth(!(x < y)), !(a < b));
  EXPECT_EQ(truth((x < y) & (x < L(1))), a < b && a < T(1));
  EXPECT_EQ(truth((x < y) | (x < L(1))), a < b || a < T(1));
  EXPECT_EQ(any(x < y), a < b);
}

// Fused or not: the roundings of the product and of the sum bound the error, but for underflow.
template <class L>
void test_multiply_add(Element<L> a, Element<L> b, Element<L> c) {
  using T = Element<L>;
  using Wide = long double;
  const Wide exact = static_cast<Wide>(a) * b + c;
  const Wide roundings =
      std::numeric_limits<T>::epsilon() * (std::abs(static_cast<Wide>(a) * b) + std::abs(exact)) +
      std::numeric_limits<T>::min();
  const T value = value_of(multiply_add(from<L>(a), from<L>(b), from<L>(c)));
  EXPECT_LE(std::abs(value - exact), roundings) << a << " * " << b << " + " << c;
}

template <class L>
void test_bits() {
  using T = Element<L>;
  using Limits = std::numeric_limits<T>;
  for (int k = Limits::min_exponent - 1; k < Limits::max_exponent; ++k) {
    EXPECT_EQ(value_of(power_of_two(L(k))), std::ldexp(T(1), k));
    for (const T m : {T(1), std::sqrt(T(0.5)), std::nextafter(std::sqrt(T(0.5)), T(0)),
                      std::sqrt(T(2)), std::nextafter(std::sqrt(T(2)), T(0)), T(1.999)}) {
      const T x = std::ldexp(m, k);
      if (!std::isnormal(x)) continue;
      L mantissa(0), exponent(0);
      split_exponent(from<L>(x), mantissa, exponent);
      const T got = value_of(mantissa);
      // One number on either side of sqrt(1/2) and of sqrt(2) is rounding.
      EXPECT_GE(got, std::nextafter(std::sqrt(T(0.5)), T(0)));
      EXPECT_LE(got, std::nextafter(std::sqrt(T(2)), T(2)));
      EXPECT_EQ(std::ldexp(got, static_cast<int>(value_of(exponent))), x);
    }
  }
  for (const T x : samples<T>()) {
    if (std::abs(x) > T(1e15) || std::abs(x) < Limits::epsilon()) continue;
    const T high = value_of(high_half(from<L>(x)));
    EXPECT_EQ(static_cast<long double>(high * high), static_cast<long double>(high) * high);
    EXPECT_LE(std::abs(x - high), std::abs(x) * std::sqrt(2 * Limits::epsilon())) << x;
  }
}

template <class L>
void test_lane() {
  using T = Element<L>;
  const std::vector<T> numbers = samples<T>();
  for (const T a : numbers) {
    test_unary<L>(a);
    for (const T b : numbers) {
      test_binary<L>(a, b);
      for (const T c : {T(-1.5), T(0), T(1e-3)})
        if (std::abs(a) < T(1e9) && std::abs(b) < T(1e9)) test_multiply_add<L>(a, b, c);
    }
  }
  test_bits<L>();
  EXPECT_EQ(value_of(infinity<L>()), std::numeric_limits<T>::infinity());
  EXPECT_EQ(value_of(smallest_normal<L>()), std::numeric_limits<T>::min());
  EXPECT_EQ(value_of(largest_finite<L>()), std::numeric_limits<T>::max());
  const double cubic[] = {1, -2, 0.5, 4};  // 1 - 2 t + t^2/2 + 4 t^3
  EXPECT_EQ(value_of(polynomial(cubic, L(2))), T(31));
  EXPECT_EQ(value_of(polynomial(cubic, L(0))), T(1));
}

// Lanes do not mix: a store gives back what was loaded, a mask chooses for each lane alone.
template <class D>
void test_vector() {
  using T = hn::TFromD<D>;
  using L = Lane<D>;
  const size_t lanes = hn::Lanes(D());
  std::vector<T> in(lanes + 1), out(lanes + 1, T(-1));
  for (size_t i = 0; i <= lanes; ++i) in[i] = static_cast<T>(i);
  L::load(&in[1]).store(&out[1]);  // no alignment needed
  EXPECT_EQ(out[0], T(-1));
  for (size_t i = 1; i <= lanes; ++i) EXPECT_EQ(out[i], in[i]);

  for (size_t split = 0; split <= lanes; ++split) {
    const L x = L::load(in.data());
    const auto below = x < L(static_cast<double>(split));
    EXPECT_EQ(any(below), split > 0);
    EXPECT_EQ(count(below), split);
    EXPECT_EQ(count(first_lanes<typename L::Tag>(split)), split);
    EXPECT_EQ(sum_of_lanes(select(below, L(1), L(0))), static_cast<T>(split));
    const T largest = split > 0 ? static_cast<T>(split - 1) : T(-1);
    EXPECT_EQ(largest_of_lanes(select(below, x, L(-1))), largest);
    select(below, -x, x).store(out.data());
    for (size_t i = 0; i < lanes; ++i) EXPECT_EQ(out[i], i < split ? -in[i] : in[i]);
  }
}

// Numbers whose reciprocals and roots are normal too.
constexpr float kQuickRange[] = {1e-30f,     3.7e-12f, 0.011f, 0.3f,   1,    1.2345679f,
                                 1.9999999f, 2.5f,     77,     1.1e9f, 6e25f};
// What lane-inl.h states of quotients, and a rounding more for the product that a root takes.
constexpr double kQuickQuotient = 2e-7, kQuickRoot = 3e-7;
// Joined in pairs or not, the terms are the same: a few roundings of their sizes' sum.
constexpr double kQuickPolynomial = 5e-7;

template <size_t N>
void test_quick_polynomial(const double (&coefficient)[N]) {
  using L = Lane<Quick<hn::ScalableTag<float>>>;
  for (const double t : {-1.5, -0.3, 0.0, 0.7, 2.0}) {
    double expected = 0, size = 0;
    for (size_t k = 0; k < N; ++k) {
      const double term = coefficient[k] * std::pow(static_cast<double>(static_cast<float>(t)), k);
      expected += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(static_cast<double>(value_of(polynomial(coefficient, L(t)))), expected,
                kQuickPolynomial * size)
        << N << " coefficients at " << t;
  }
}

// Lanes that trade the last bit for time trade no more than that.
void test_quick() {
  using L = Lane<Quick<hn::ScalableTag<float>>>;
  for (const float a : kQuickRange) {
    const auto wide = static_cast<double>(a);
    EXPECT_NEAR(static_cast<double>(value_of(L(1) / from<L>(a))) * wide, 1, kQuickQuotient) << a;
    EXPECT_NEAR(static_cast<double>(value_of(L(3) / from<L>(a))) * wide / 3, 1, kQuickQuotient)
        << a;
    const Roots<L> found = roots(from<L>(a));
    EXPECT_NEAR(static_cast<double>(value_of(found.root)) / std::sqrt(wide), 1, kQuickRoot) << a;
    EXPECT_NEAR(static_cast<double>(value_of(found.inverse)) * std::sqrt(wide), 1, kQuickRoot) << a;
  }
  EXPECT_NEAR(static_cast<double>(value_of(roots(L(0)).root)), 0, 1e-14);
  test_quick_polynomial({2});
  test_quick_polynomial({2, -1});
  test_quick_polynomial({1, -2, 0.5, 4});
  test_quick_polynomial({1, -2, 0.5, 4, 3, -0.25, 7});
  test_quick_polynomial({1, -2, 0.5, 4, 3, -0.25, 7, 0.125, -1.5, 2, 1, 0.75});
}

std::int64_t test_target() {
  test_lane<float>();
  test_lane<double>();
  test_lane<Lane<hn::ScalableTag<float>>>();
  test_lane<Lane<hn::ScalableTag<double>>>();
  test_lane<Lane<hn::CappedTag<float, 1>>>();
  test_lane<Lane<hn::CappedTag<double, 1>>>();
  test_vector<hn::ScalableTag<float>>();
  test_vector<hn::ScalableTag<double>>();
  test_vector<hn::CappedTag<float, 1>>();
  test_vector<hn::CappedTag<double, 1>>();
  test_quick();
  return HWY_TARGET;
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
using namespace internal;
namespace {

HWY_EXPORT(test_target);

TEST(Lane, DoesWhatPlainNumbersDoOnEveryTarget) {
  std::set<std::int64_t> ran, available;
  for (const SimdLevel level : SimdLevel::available()) {
    SCOPED_TRACE(level.name());
    ran.insert(dispatched(HWY_DISPATCH_TABLE(test_target), level)());
    available.insert(level.target());
  }
  EXPECT_EQ(ran, available);
}

}  // namespace
}  // namespace postrider
#endif  // HWY_ONCE
