#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "base/random.h"
#include "math/simd_level.h"
#include "postrider/gaussian.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "message/message_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "message/message-inl.h"

#ifndef POSTRIDER_TESTS_MESSAGE_TEST_ONCE
#define POSTRIDER_TESTS_MESSAGE_TEST_ONCE
namespace postrider {
using namespace internal;

// A pair of numbers: natural parameters or moments.
template <class T>
struct Pair {
  T first, second;
};

// What the lanes make of two messages a and b.
template <class T>
struct Results {
  Pair<T> product, quotient, moments, back;  // moments of a; message_of(moments of a)
  T log_overlap, log_gaussian;               // of a and b; of 1 under the moments of a
  T uniform, point;                          // 1 where a is uniform, where it is a point mass
};

template <class T>
struct Inputs {
  Pair<T> a, b;
};

// Results of every pair, with whole vectors, on one lane and with plain numbers.
template <class T>
struct Kinds {
  std::vector<Results<T>> vector, one_lane, scalar;
};

struct Target {
  std::int64_t bit;
  std::function<Kinds<float>(const std::vector<Inputs<float>>&)> floats;
  std::function<Kinds<double>(const std::vector<Inputs<double>>&)> doubles;
};

}  // namespace postrider
#endif  // POSTRIDER_TESTS_MESSAGE_TEST_ONCE

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

template <class L>
struct LaneResults {
  Message<L> product, quotient;
  Moments<L> moments;
  Message<L> back;
  L log_overlap, log_gaussian, uniform, point;
};

template <class L>
LaneResults<L> results_of(const Message<L>& a, const Message<L>& b) {
  const Moments<L> moments = moments_of(a);
  return {product(a, b),
          quotient(a, b),
          moments,
          message_of(moments),
          log_overlap(a, b),
          log_gaussian(L(1), moments.mean, moments.variance),
          select(is_uniform(a), L(1), L(0)),
          select(is_point_mass(a), L(1), L(0))};
}

template <class T>
Results<T> plain_results(const Inputs<T>& in) {
  const LaneResults<T> r = results_of<T>({in.a.first, in.a.second}, {in.b.first, in.b.second});
  return {{r.product.tau, r.product.rho},
          {r.quotient.tau, r.quotient.rho},
          {r.moments.mean, r.moments.variance},
          {r.back.tau, r.back.rho},
          r.log_overlap,
          r.log_gaussian,
          r.uniform,
          r.point};
}

// The pairs of inputs fill vectors; the last one is filled up with copies of the last pair.
template <class D, class T>
std::vector<Results<T>> lane_results(const std::vector<Inputs<T>>& in) {
  using L = Lane<D>;
  const size_t lanes = hn::Lanes(D());
  std::vector<Results<T>> out(in.size());
  std::vector<T> column(lanes);
  for (size_t row = 0; row < in.size(); row += lanes) {
    const auto at = [&](size_t lane) { return std::min(row + lane, in.size() - 1); };
    const auto load = [&](Pair<T> Inputs<T>::*message, T Pair<T>::*part) HWY_ATTR {
      for (size_t i = 0; i < lanes; ++i) column[i] = in[at(i)].*message.*part;
      return L::load(column.data());
    };
    const auto store = [&](L from, auto to) HWY_ATTR {
      from.store(column.data());
      for (size_t i = 0; i < lanes; ++i) to(out[at(i)]) = column[i];
    };
    const Message<L> a{load(&Inputs<T>::a, &Pair<T>::first), load(&Inputs<T>::a, &Pair<T>::second)};
    const Message<L> b{load(&Inputs<T>::b, &Pair<T>::first), load(&Inputs<T>::b, &Pair<T>::second)};
    const LaneResults<L> r = results_of(a, b);
    store(r.product.tau, [](Results<T>& x) -> T& { return x.product.first; });
    store(r.product.rho, [](Results<T>& x) -> T& { return x.product.second; });
    store(r.quotient.tau, [](Results<T>& x) -> T& { return x.quotient.first; });
    store(r.quotient.rho, [](Results<T>& x) -> T& { return x.quotient.second; });
    store(r.moments.mean, [](Results<T>& x) -> T& { return x.moments.first; });
    store(r.moments.variance, [](Results<T>& x) -> T& { return x.moments.second; });
    store(r.back.tau, [](Results<T>& x) -> T& { return x.back.first; });
    store(r.back.rho, [](Results<T>& x) -> T& { return x.back.second; });
    store(r.log_overlap, [](Results<T>& x) -> T& { return x.log_overlap; });
    store(r.log_gaussian, [](Results<T>& x) -> T& { return x.log_gaussian; });
    store(r.uniform, [](Results<T>& x) -> T& { return x.uniform; });
    store(r.point, [](Results<T>& x) -> T& { return x.point; });
  }
  return out;
}

template <class T>
Kinds<T> all_kinds(const std::vector<Inputs<T>>& in) {
  Kinds<T> out{lane_results<hn::ScalableTag<T>>(in), lane_results<hn::CappedTag<T, 1>>(in), {}};
  for (const Inputs<T>& pair : in) out.scalar.push_back(plain_results(pair));
  return out;
}

Target target() { return {HWY_TARGET, all_kinds<float>, all_kinds<double>}; }

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
namespace {

HWY_EXPORT(target);

// A few operations of one rounding each.
template <class T>
constexpr double kRounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());

std::vector<Target> targets() {
  std::vector<Target> all;
  for (const SimdLevel level : SimdLevel::available())
    all.push_back(dispatched(HWY_DISPATCH_TABLE(target), level)());
  return all;
}
template <class T>
Kinds<T> run(const Target& target, const std::vector<Inputs<T>>& in) {
  if constexpr (std::is_same_v<T, float>)
    return target.floats(in);
  else
    return target.doubles(in);
}

// Every state in every slot, then proper messages whose variances span 24 orders of magnitude. Two
// point masses are at the same place: others contradict each other.
template <class T>
std::vector<Inputs<T>> inputs() {
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<Pair<T>> states{{0, 0}, {T(2.5), infinity}, {T(0.5), T(0.25)}, {-1, 3}};
  std::vector<Inputs<T>> all;
  for (const Pair<T>& a : states)
    for (const Pair<T>& b : states) all.push_back({a, b});
  RandomStream random(1, 0);
  const auto draw = [&] {
    const double rho = random.log_uniform(1e-12, 1e12);
    return Pair<T>{static_cast<T>(rho * random.normal()), static_cast<T>(rho)};
  };
  constexpr int kDraws = 1000;
  for (int i = 0; i < kDraws; ++i) {
    const Pair<T> a = draw(), b = draw();
    all.push_back({a, b});
  }
  return all;
}

template <class T>
Gaussian gaussian(const Pair<T>& m) {
  return std::isinf(m.second)
             ? Gaussian::point_mass(static_cast<double>(m.first))
             : Gaussian::from_natural(static_cast<double>(m.first), static_cast<double>(m.second));
}

template <class T>
void expect_near(T value, double expected, double scale, const char* what) {
  if (std::isinf(expected)) {
    EXPECT_EQ(static_cast<double>(value), expected) << what;
  } else {
    EXPECT_NEAR(static_cast<double>(value), expected, kRounding<T> * scale) << what;
  }
}

// `scale` is the size of the taus and rhos that were added.
template <class T>
void expect_message(const Pair<T>& value, const Gaussian& expected, Pair<double> scale,
                    const char* what) {
  expect_near(value.first, expected.tau(), scale.first, what);
  expect_near(value.second, expected.rho(), scale.second, what);
}

template <class T>
void check_against_gaussian(const Inputs<T>& in, const Results<T>& out) {
  const Gaussian a = gaussian(in.a), b = gaussian(in.b);
  SCOPED_TRACE(to_string(a) + " and " + to_string(b));
  const Pair<double> scale{std::abs(a.tau()) + std::abs(b.tau()), a.rho() + b.rho()};
  expect_message(out.product, a * b, scale, "product");
  if (!b.is_point_mass()) expect_message(out.quotient, a / b, scale, "quotient");
  expect_near(out.moments.first, a.mean(), std::abs(a.mean()), "mean");
  expect_near(out.moments.second, a.variance(), a.variance(), "variance");
  expect_message(out.back, a, {std::abs(a.tau()), a.rho()}, "back from the moments");
  EXPECT_EQ(out.uniform == T(1), a.is_uniform());
  EXPECT_EQ(out.point == T(1), a.is_point_mass());

  // Logarithms of densities: means are rounded, which counts in units of the deviation.
  const auto expect_log = [&](T value, double expected, double gap, double means, double variance) {
    const double shift = std::isfinite(variance) && variance > 0 && std::isfinite(expected)
                             ? (std::abs(gap) * means + gap * gap) / variance
                             : 0;
    constexpr double kLargestLog = 50;  // of the variances here
    expect_near(value, expected, kLargestLog + shift, "log density");
  };
  expect_log(out.log_overlap, log_overlap(a, b), a.mean() - b.mean(),
             std::abs(a.mean()) + std::abs(b.mean()), a.variance() + b.variance());
  if (!a.is_uniform())
    expect_log(out.log_gaussian, a.log_density(1), a.mean() - 1, std::abs(a.mean()) + 1,
               a.variance());
}

template <class T>
void check_target(const Target& target) {
  const std::vector<Inputs<T>> in = inputs<T>();
  const Kinds<T> out = run<T>(target, in);
  ASSERT_EQ(out.vector.size(), in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(std::memcmp(&out.vector[i], &out.one_lane[i], sizeof(Results<T>)), 0)
        << "a vector and one lane differ for pair " << i;
    check_against_gaussian(in[i], out.vector[i]);
    check_against_gaussian(in[i], out.scalar[i]);
  }
}

TEST(Message, RanOnEveryTarget) {
  std::set<std::int64_t> ran, available;
  for (const Target& target : targets()) ran.insert(target.bit);
  for (const SimdLevel level : SimdLevel::available()) available.insert(level.target());
  EXPECT_EQ(ran, available);
}

TEST(Message, LanesAgreeWithGaussian) {
  for (const Target& target : targets()) {
    SCOPED_TRACE(hwy::TargetName(target.bit));
    check_target<float>(target);
    check_target<double>(target);
  }
}

// Scalar lanes stand for all here: the test above shows that lanes agree.
namespace lanes = HWY_NAMESPACE;

template <class T>
void check_states_from_moments() {
  using Limits = std::numeric_limits<T>;
  const auto of = [](T mean, T variance) {
    return lanes::message_of(lanes::Moments<T>{mean, variance});
  };
  for (const T nothing : {Limits::infinity(), Limits::max()}) {
    EXPECT_EQ(of(3, nothing).tau, T(0));
    EXPECT_EQ(of(3, nothing).rho, T(0));
  }
  for (const T none : {T(0), T(-0.0), Limits::denorm_min(), Limits::min() / 2}) {
    EXPECT_EQ(of(3, none).tau, T(3));
    EXPECT_EQ(of(3, none).rho, Limits::infinity());
  }
  // tau would overflow.
  EXPECT_EQ(of(Limits::max(), T(0.5)).tau, Limits::max());
  EXPECT_EQ(of(Limits::max(), T(0.5)).rho, Limits::infinity());
  EXPECT_EQ(of(Limits::max(), T(1)).rho, T(1));
}
TEST(Message, EndsOfTheVarianceAreStates) {
  check_states_from_moments<float>();
  check_states_from_moments<double>();
}

template <class T>
void check_log_gaussian() {
  const T infinity = std::numeric_limits<T>::infinity();
  for (const T variance : {T(0), std::numeric_limits<T>::min() / 2}) {
    EXPECT_EQ(lanes::log_gaussian(T(1), T(1), variance), infinity);
    EXPECT_EQ(lanes::log_gaussian(T(1), T(2), variance), -infinity);
  }
  // Far out and narrow, the exponent overflows before the logarithm of the variance counts.
  if constexpr (std::is_same_v<T, float>) {
    EXPECT_EQ(lanes::log_gaussian(0.0F, 1e30F, 1e-30F), -infinity);
  }
}
TEST(LogGaussian, AtVarianceZeroIsADelta) {
  check_log_gaussian<float>();
  check_log_gaussian<double>();
}

}  // namespace
}  // namespace postrider
#endif  // HWY_ONCE
