#include <gtest/gtest.h>

#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/exponential_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/check_cases.h"
#include "math/exponential-inl.h"
#include "math/lane_case-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

template <class T>
std::vector<LaneCase<T>> exponential_cases_of() {
  // Half a ln 2, where the nearest power of two changes, and the ends of the normal numbers.
  const std::vector<double> exponents{-0.34657359027997264, 0.34657359027997264,
                                      ExpRange<T>::kLowest, ExpRange<T>::kHighest};
  const std::vector<double> ones{-0.34, 0.34};                                 // series or exp
  const std::vector<double> roots{0.7071067811865476, 1.4142135623730951, 1};  // of the mantissa
  const std::vector<double> shifted{-0.2928932188134524, 0.41421356237309515, -1};
  return {lane_case<T>(
              "exponential", [](auto x) HWY_ATTR { return exponential(x); }, reference::exponential,
              -kInfinity, exponents),
          lane_case<T>(
              "exp_minus_one", [](auto x) HWY_ATTR { return exp_minus_one(x); },
              reference::exp_minus_one, -kInfinity, ones),
          lane_case<T>(
              "logarithm", [](auto x) HWY_ATTR { return logarithm(x); }, reference::logarithm, 0,
              roots),
          lane_case<T>(
              "log_one_plus", [](auto x) HWY_ATTR { return log_one_plus(x); },
              reference::log_one_plus, -1, shifted)};
}

LaneCases exponential_cases() {
  return {HWY_TARGET, exponential_cases_of<float>(), exponential_cases_of<double>()};
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
using namespace internal;
namespace {

HWY_EXPORT(exponential_cases);

const std::vector<LaneCases>& levels() {
  static const std::vector<LaneCases> all =
      cases_of_every_level(HWY_DISPATCH_TABLE(exponential_cases));
  return all;
}

TEST(Exponential, RanOnEveryTarget) { check_every_target_ran(levels()); }

TEST(Exponential, IsAsAccurateAsTheTableSays) {
  check_accuracy_table(POSTRIDER_ACCURACY_TABLE, "exponential-inl.h",
                       {"exponential-inl.h", "normal-inl.h"}, levels());
}

TEST(Exponential, ReachesItsLimits) {
  const std::vector<Limit> limits{
      {"exponential", -kInfinity, 0},
      {"exponential", -1000, 0},
      {"exponential", 0, 1},
      {"exponential", 1000, kInfinity},
      {"exponential", kInfinity, kInfinity},
      {"exp_minus_one", -kInfinity, -1},
      {"exp_minus_one", 0, 0},
      {"exp_minus_one", kInfinity, kInfinity},
      {"logarithm", 0, -kInfinity},
      {"logarithm", 1, 0},
      {"logarithm", kInfinity, kInfinity},
      {"log_one_plus", -1, -kInfinity},
      {"log_one_plus", 0, 0},
      {"log_one_plus", kInfinity, kInfinity},
  };
  check_limits<float>(levels(), limits);
  check_limits<double>(levels(), limits);
}

TEST(Exponential, IsNeverNan) {
  check_never_nan<float>(levels());
  check_never_nan<double>(levels());
}

}  // namespace
}  // namespace postrider
#endif  // HWY_ONCE
