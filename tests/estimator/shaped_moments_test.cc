// Moments of bent distributions, against sums over thousands of places.
#include "estimator/shaped_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "estimator/unit_shape.h"

namespace postrider {
using namespace internal;
namespace {

// Members that differ in all they say.
std::vector<Outlook> members(double log_variance) {
  std::vector<Outlook> out;
  for (int m = 0; m < 6; ++m)
    out.push_back(outlook_of(0.3 * m - 0.6, 0.02 + 0.01 * m, -0.4 + 0.1 * m, log_variance, 0.5));
  return out;
}

std::vector<double> two_hills() {
  std::vector<double> out(16, 0.005);
  out[2] = out[13] = (1 - 14 * 0.005) / 2;
  return out;
}

struct Case {
  const char* name;
  std::optional<LocalNormal> neighbours;
  std::optional<UnitDensity> bins;
  TargetColumn column;
  double log_variance;
};

std::vector<Case> cases() {
  const TargetColumn plain(3, 2), root(3, 1, 0.4);
  const UnitDensity hills(two_hills(), 0.95);
  return {{"near", LocalNormal(-0.7, 0.4, 0.9), {}, plain, 0.1},
          {"far and narrow", LocalNormal(2.1, 0.1, 0.95), {}, plain, 0.1},
          {"unsure noise", LocalNormal(0.5, 0.6, 0.7), {}, plain, 1},
          {"hills", {}, hills, plain, 0.2},
          {"hills of unsure noise", {}, hills, plain, 1},
          {"both", LocalNormal(-0.7, 0.4, 0.9), hills, plain, 0.2},
          {"roots", LocalNormal(-0.7, 0.4, 0.9), hills, root, 0.2}};
}

Moments summed(const Case& each, const Mixture& mixture, const UnitShape* shape) {
  constexpr double kReach = 60, kStep = 2e-4;
  double mass = 0, mean = 0, square = 0;
  for (double x = -kReach; x < kReach; x += kStep * (1 + std::abs(x))) {
    const double step = kStep * (1 + std::abs(x)), middle = x + 0.5 * step;
    const BelowAndDensity here = mixture.at(middle);
    const double density =
        here.density * (shape == nullptr ? 1 : shape->density(here.below)) * step;
    const double y = each.column.in_units(middle);
    mass += density;
    mean += density * y;
    square += density * y * y;
  }
  mean /= mass;
  return {mean, square / mass - mean * mean, 0};
}

TEST(ShapedMoments, AreThoseOfTheBentDensity) {
  constexpr double kOfDeviation = 1e-3, kOfVariance = 4e-3;
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.name);
    const std::vector<Outlook> at = members(each.log_variance);
    const Mixture mixture(at);
    const UnitShape shape(each.neighbours, each.bins);
    const Moments plain = summed(each, mixture, nullptr), truth = summed(each, mixture, &shape);
    const Moments found = shaped_moments(each.column, at, shape, plain);
    EXPECT_NEAR(found.mean, truth.mean, kOfDeviation * std::sqrt(plain.spread));
    EXPECT_NEAR(found.spread + found.noise, truth.spread, kOfVariance * truth.spread);
  }
}

TEST(ShapedMoments, StayWhatTheyAreWithoutAShape) {
  const std::vector<Outlook> at = members(0.3);
  const Moments plain{3, 0.8, 1.2};
  const Moments found =
      shaped_moments(TargetColumn(3, 2), at, UnitShape(LocalNormal(0, 1, 0.9), {}), plain);
  constexpr double kRounding = 1e-9;
  EXPECT_NEAR(found.mean, plain.mean, kRounding);
  EXPECT_NEAR(found.spread, plain.spread, kRounding);
  EXPECT_NEAR(found.noise, plain.noise, kRounding);
}

}  // namespace
}  // namespace postrider
