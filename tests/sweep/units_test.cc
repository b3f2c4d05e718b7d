// The passes over units on float lanes, which trade the last bits for time, against the factor in
// double, over the range that sweeps meet.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

#include "base/random.h"
#include "postrider/graph/factor.h"
#include "sweep/engine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/units_test.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "sweep/units-inl.h"

#ifndef POSTRIDER_TESTS_SWEEP_UNITS_ONCE_
#define POSTRIDER_TESTS_SWEEP_UNITS_ONCE_
namespace postrider::network {
using namespace internal;

// A layer of units and the layer above it, one example in flight.
struct TwoLayers {
  std::vector<SweepLayer> layers;
  Workspace<float> workspace{layers};
  SweepRecord record{};

  const LayerWork<float>& below() const { return workspace.layers()[0]; }
  const LayerWork<float>& above() const { return workspace.layers()[1]; }
};

}  // namespace postrider::network
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {
void run_units(network::TwoLayers& two) {
  const SweepLayer& layer = two.layers[0];
  if (layer.activation_precision > 0) multiply_activation_prior(layer, two.below(), 1);
  forward_units(layer, two.below(), two.above(), true, 1);
  backward_units(layer, two.below(), two.above(), graph::Rule::conditioned, 1, two.record);
}
}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::network {
namespace {

HWY_EXPORT(run_units);

constexpr std::size_t kUnits = 6000;
constexpr double kSlopes[] = {0, 0.01, 0.1, 0.2};
constexpr double kPriors[] = {0, 0.7};  // activation precisions
// Without a slope, a unit this many deviations left of zero has an output that is as good as zero.
constexpr double kFlatReach = -9;

// For messages to units: how many standard deviations means lie from zero and from each other, and how much of
// the precision of what went forward comes back.
struct Range {
  const char* name;
  double deviations, least_ratio, largest_ratio;
};
constexpr Range kCommon{"common", 3, 1e-4, 10}, kWide{"wide", 30, 1e-8, 1e8};

TwoLayers layers_with(const Range& range, double slope, double activation_precision) {
  TwoLayers two{{{1, kUnits, false, slope, activation_precision}, {kUnits, 1, true}}};
  RandomStream random(1, 0);
  const auto deviations = [&] { return random.uniform(-range.deviations, range.deviations); };
  for (std::size_t i = 0; i < kUnits; ++i) {
    const double s2 = random.log_uniform(1e-3, 1e3), mean = deviations() * std::sqrt(s2);
    const double rho = random.log_uniform(range.least_ratio, range.largest_ratio) / s2;
    const double y = (mean > 0 ? mean : slope * mean) + deviations() * std::sqrt(s2 + 1 / rho);
    two.below().s_mean[i] = static_cast<float>(mean);
    two.below().s_variance[i] = static_cast<float>(s2);
    two.above().x_tau[i] = static_cast<float>(y * rho);
    two.above().x_rho[i] = static_cast<float>(rho);
  }
  return two;
}

// Errors, and the quantiles that the bounds speak of.
class Errors {
 public:
  void add(double error) { all_.push_back(std::isnan(error) ? HUGE_VAL : error); }
  double quantile(double share) {
    std::sort(all_.begin(), all_.end());
    return all_[static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1))];
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<double> all_;
};

// The shares of the units that bounds are about.
constexpr std::array<double, 4> kShares{0.5, 0.99, 0.999, 1};
using Bounds = std::array<double, 4>;

void expect_within(const std::string& what, Errors& errors, const Bounds& bounds) {
  std::cout << "[ errors   ] " << what << ", of " << errors.size() << ':';
  for (std::size_t k = 0; k < kShares.size(); ++k) {
    const double found = errors.quantile(kShares[k]);
    std::cout << "  " << kShares[k] << ": " << found;
    EXPECT_LE(found, bounds[k]) << what << ", share " << kShares[k];
  }
  std::cout << '\n';
}

// Means in units of themselves or of the deviation, whichever is larger; variances relatively.
double mean_error(double value, const Gaussian& expected) {
  return std::abs(value - expected.mean()) / std::max(std::abs(expected.mean()), expected.std());
}
double variance_error(double value, const Gaussian& expected) {
  return std::abs(value / expected.variance() - 1);
}

void check_forward(const Range& range, const Bounds& of_mean, const Bounds& of_variance) {
  Errors mean, variance;
  for (const SimdLevel level : SimdLevel::available())
    for (const double slope : kSlopes) {
      const auto relu = graph::make_factor("leaky_relu", {{"slope", {slope}}});
      TwoLayers two = layers_with(range, slope, 0);
      dispatched(HWY_DISPATCH_TABLE(run_units), level)(two);
      for (std::size_t i = 0; i < kUnits; ++i) {
        const double s2 = two.below().s_variance[i], m = two.below().s_mean[i];
        if (slope == 0 && m < kFlatReach * std::sqrt(s2)) continue;
        const std::vector<Gaussian> in{Gaussian::uniform(), Gaussian::from_moments(m, s2)};
        const Gaussian y = relu->send(0, graph::Rule::direct, in).message;
        mean.add(mean_error(two.above().x_mean[i], y));
        variance.add(variance_error(two.above().x_variance[i], y));
      }
    }
  expect_within(std::string("forward mean, ") + range.name, mean, of_mean);
  expect_within(std::string("forward variance, ") + range.name, variance, of_variance);
}

// What comes back to a sum, against the factor's message times the activation prior. In units of the
// sum's deviation s, c0/c1 is the slope of the logarithm of the evidence and 1/c1 its bend: of order one,
// and what beliefs are made of. The variance of the message has to follow relatively, too.
struct BackErrors {
  static constexpr double kFaint = 1e-9;  // a bend below this changes no digit
  Errors slope, bend, variance, mean;

  void add(const TwoLayers& two, const graph::Factor& relu, double prior, std::size_t i) {
    const double s2 = two.below().s_variance[i], m = two.below().s_mean[i];
    const double front = s2 / (1 + prior * s2), s = std::sqrt(s2);
    const std::vector<Gaussian> in{
        Gaussian::from_natural(two.above().x_tau[i], two.above().x_rho[i]),
        Gaussian::from_moments(m * front / s2, front)};
    const Gaussian said = relu.send(1, graph::Rule::conditioned, in).message;
    const Gaussian back = Gaussian::from_natural(said.tau(), said.rho() + prior);
    const double c0 = back.mean() - m, c1 = back.variance() + s2;
    const double c0_here = two.below().c0[i], c1_here = two.below().c1[i];
    const double expected = s * c0 / c1;
    slope.add(std::abs(s * c0_here / c1_here - expected) / std::max(std::abs(expected), 1.0));
    bend.add(std::abs(s2 / c1_here - s2 / c1));
    if (s2 / c1 < kFaint) return;
    variance.add(variance_error(two.below().least[i], back));
    mean.add(std::abs(c0_here - c0) / std::max(std::abs(c0), std::sqrt(c1)));
  }
};

void check_backward(const Range& range, const std::array<Bounds, 4>& bounds) {
  BackErrors errors;
  for (const SimdLevel level : SimdLevel::available())
    for (const double prior : kPriors)
      for (const double slope : kSlopes) {
        const auto relu = graph::make_factor("leaky_relu", {{"slope", {slope}}});
        TwoLayers two = layers_with(range, slope, prior);
        dispatched(HWY_DISPATCH_TABLE(run_units), level)(two);
        for (std::size_t i = 0; i < kUnits; ++i) errors.add(two, *relu, prior, i);
      }
  const std::string in_range = std::string(", ") + range.name;
  expect_within("backward slope" + in_range, errors.slope, bounds[0]);
  expect_within("backward bend" + in_range, errors.bend, bounds[1]);
  expect_within("backward variance" + in_range, errors.variance, bounds[2]);
  expect_within("backward mean" + in_range, errors.mean, bounds[3]);
}

// The bounds are twice the errors of the form that had a Mills ratio, an exponential and a division for
// everything, which was measured before this one took its place.
TEST(Units, ForwardOnFloatsFollowsTheFactorInDouble) {
  check_forward(kCommon, {5.2e-8, 3.2e-7, 5e-7, 9.8e-7}, {1.3e-7, 1.5e-6, 2.5e-6, 5.5e-6});
  check_forward(kWide, {6.8e-11, 1.6e-7, 3.3e-7, 8.3e-7}, {1.2e-8, 3.7e-6, 1.2e-5, 2.7e-5});
}

// Where terms cancel the worst of many units has no digits: a share has to do.
// The median of strong messages' means is the one error that more than doubled where instructions do not
// fuse: it is asked to stay within a unit in the last place.
constexpr double kUnit = std::numeric_limits<float>::epsilon();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

TEST(Units, BackwardOnFloatsFollowsTheFactorInDouble) {
  check_backward(kCommon, {{{2.1e-8, 7.8e-7, 1.7e-6, 4.2e-6},
                            {1.1e-8, 2.5e-7, 5.2e-7, 3.1e-6},
                            {1.5e-7, 2.3e-6, 1.2e-5, 6.4e-3},
                            {6.5e-8, 1.7e-6, 1.1e-5, 6.4e-3}}});
  check_backward(kWide, {{{6.5e-8, 2.9e-6, 1e-5, kUnbounded},
                          {1.8e-8, 1.2e-7, 3.3e-7, kUnbounded},
                          {1.1e-7, 1.5e-6, 4.9e-4, kUnbounded},
                          {kUnit, 3.9e-6, 2.6e-5, kUnbounded}}});
}

}  // namespace
}  // namespace postrider::network
#endif  // HWY_ONCE
