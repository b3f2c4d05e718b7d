#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/normal_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/check_cases.h"
#include "math/lane_case-inl.h"
#include "math/normal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

// The only branch is at zero; `lowest` is 0 for the functions of x >= 0.
template <class T>
std::vector<LaneCase<T>> normal_cases_of() {
  namespace r = reference;
  std::vector<LaneCase<T>> all;
  const auto add = [&](const char* name, auto f, r::Big (*expected)(double),
                       double lowest = -kInfinity) {
    all.push_back(lane_case<T>(name, f, expected, lowest, {}));
  };
  // clang-format off
  add("normal_density", [](auto x) HWY_ATTR { return normal_density(x); }, r::normal_density);
  add("normal_cdf", [](auto u) HWY_ATTR { return normal_cdf(u); }, r::normal_cdf);
  add("log_normal_cdf", [](auto u) HWY_ATTR { return log_normal_cdf(u); }, r::log_normal_cdf);
  add("mills_ratio", [](auto x) HWY_ATTR { return mills_ratio(x); }, r::mills_ratio, 0);
  add("mills.first", [](auto x) HWY_ATTR { return mills(x).first(); }, r::mills_first, 0);
  add("mills.second", [](auto x) HWY_ATTR { return mills(x).second(); }, r::mills_second, 0);
  add("hazard", [](auto u) HWY_ATTR { return hazard(u); }, r::hazard);
  add("truncated_normal.scaled_mass", [](auto u) HWY_ATTR { return truncated_normal(u).scaled_mass; }, r::scaled_mass);
  add("rectified.probability", [](auto u) HWY_ATTR { return rectified(u).probability; }, r::normal_cdf);
  add("rectified.spill", [](auto u) HWY_ATTR { return rectified(u).spill; }, r::rectified_spill);
  add("rectified.variance", [](auto u) HWY_ATTR { return rectified(u).variance; }, r::rectified_variance);
  add("truncated_normal.mean", [](auto u) HWY_ATTR { return truncated_normal(u).mean; }, r::truncated_mean);
  add("truncated_normal.variance", [](auto u) HWY_ATTR { return truncated_normal(u).variance; }, r::truncated_variance);
  add("truncated_normal.v", [](auto u) HWY_ATTR { return truncated_normal(u).v; }, r::truncated_v);
  add("truncated_normal.w", [](auto u) HWY_ATTR { return truncated_normal(u).w; }, r::truncated_w);
  add("truncated_normal.lift", [](auto u) HWY_ATTR { return truncated_normal(u).lift; }, r::truncated_lift);
  // clang-format on
  return all;
}

LaneCases normal_cases() {
  return {HWY_TARGET, normal_cases_of<float>(), normal_cases_of<double>()};
}

// standardised() for one mean and one variance: on a vector, on one lane, as a plain number.
template <class T>
std::vector<T> standardised_of(T mean, T variance) {
  const auto with = [&](auto lane) HWY_ATTR {
    using L = decltype(lane);
    return standardised(L(static_cast<double>(mean)), L(static_cast<double>(variance)));
  };
  const auto on = [&](auto tag) HWY_ATTR {
    std::vector<T> out(hn::Lanes(tag));
    with(Lane<decltype(tag)>(0.0)).store(out.data());
    return out;
  };
  std::vector<T> values = on(hn::ScalableTag<T>());
  values.push_back(on(hn::CappedTag<T, 1>())[0]);
  values.push_back(with(T(0)));
  return values;
}
std::vector<float> standardised_floats(float mean, float variance) {
  return standardised_of<float>(mean, variance);
}
std::vector<double> standardised_doubles(double mean, double variance) {
  return standardised_of<double>(mean, variance);
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
using namespace internal;
namespace {

HWY_EXPORT(normal_cases);
HWY_EXPORT(standardised_floats);
HWY_EXPORT(standardised_doubles);

constexpr double kFarthest = HWY_NAMESPACE::kFarthest;

const std::vector<LaneCases>& levels() {
  static const std::vector<LaneCases> all = cases_of_every_level(HWY_DISPATCH_TABLE(normal_cases));
  return all;
}

// The reference is checked against Boost's erfc, which shares nothing with it.
TEST(NormalReference, AgreesWithBoost) {
  using reference::Big;
  constexpr double kRelative = 1e-45;
  for (const double x : {0.0, 1e-20, 0.3, 1.0, 2.5, 6.0, 7.999, 8.001, 12.0, 20.0, 37.0}) {
    const Big boost = boost::math::erfc(Big(x) / sqrt(Big(2))) / 2;
    const Big ours = reference::normal_cdf(-x);
    EXPECT_LT(abs(ours - boost), kRelative * boost) << x;
  }
}

TEST(Normal, RanOnEveryTarget) { check_every_target_ran(levels()); }

TEST(Normal, IsAsAccurateAsTheTableSays) {
  check_accuracy_table(POSTRIDER_ACCURACY_TABLE, "normal-inl.h",
                       {"exponential-inl.h", "normal-inl.h"}, levels());
}

TEST(Normal, ReachesItsLimits) {
  const std::vector<Limit> limits{
      {"normal_density", -kInfinity, 0},
      {"normal_density", kInfinity, 0},
      {"normal_cdf", -kInfinity, 0},
      {"normal_cdf", -1000, 0},
      {"normal_cdf", 1000, 1},
      {"normal_cdf", kInfinity, 1},
      {"log_normal_cdf", kInfinity, 0},
      {"hazard", kInfinity, 0},
      {"rectified.probability", -kInfinity, 0},
      {"rectified.probability", kInfinity, 1},
      {"rectified.spill", -kInfinity, 0},
      {"rectified.spill", kInfinity, 0},
      {"rectified.variance", -kInfinity, 0},
      {"rectified.variance", kInfinity, 1},
      {"truncated_normal.variance", kInfinity, 1},
      {"truncated_normal.v", kInfinity, 0},
      {"truncated_normal.w", -kInfinity, 1},
      {"truncated_normal.w", kInfinity, 0},
      {"truncated_normal.lift", kInfinity, 0},
  };
  check_limits<float>(levels(), limits);
  check_limits<double>(levels(), limits);
}

TEST(Normal, IsNeverNan) {
  check_never_nan<float>(levels());
  check_never_nan<double>(levels());
}

// Beyond kFarthest an argument counts as kFarthest.
template <class T>
void check_farthest() {
  for (const LaneCases& level : levels())
    for (const LaneCase<T>& tried : cases_of<T>(level)) {
      const T far = static_cast<T>(kFarthest), beyond = std::numeric_limits<T>::infinity();
      const LaneValues<T> right = tried.run({far, beyond});
      EXPECT_EQ(right.vector[0], right.vector[1]) << tried.name;
      EXPECT_EQ(right.scalar[0], right.scalar[1]) << tried.name;
      if (tried.lowest == 0) continue;
      const LaneValues<T> left = tried.run({-far, -beyond});
      EXPECT_EQ(left.vector[0], left.vector[1]) << tried.name;
      EXPECT_EQ(left.scalar[0], left.scalar[1]) << tried.name;
    }
}
TEST(Normal, SaturatesBeyondTheFarthestArgument) {
  check_farthest<float>();
  check_farthest<double>();
}

struct Standardised {
  double mean, variance, expected;
};

template <class T, class Table>
void check_standardised(const Table& table) {
  const std::vector<Standardised> cases{
      {3, 4, 1.5},
      {-3, 4, -1.5},
      {0, 1, 0},
      {3, 0, kFarthest},
      {-3, 0, -kFarthest},
      {0, 0, 0},
      {3, kInfinity, 0},
      {0, kInfinity, 0},
      {1e30, 1e-30, kFarthest},
      {-1e30, 1e-30, -kFarthest},
  };
  for (const SimdLevel level : SimdLevel::available())
    for (const Standardised& c : cases)
      for (const T value :
           dispatched(table, level)(static_cast<T>(c.mean), static_cast<T>(c.variance)))
        EXPECT_EQ(value, static_cast<T>(c.expected))
            << level.name() << ": " << c.mean << ", " << c.variance;
}

TEST(Standardised, HasTheLimitsOfPointMassAndUniform) {
  check_standardised<float>(HWY_DISPATCH_TABLE(standardised_floats));
  check_standardised<double>(HWY_DISPATCH_TABLE(standardised_doubles));
}

}  // namespace
}  // namespace postrider
#endif  // HWY_ONCE
