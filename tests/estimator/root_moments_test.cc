#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimator/unknown_inputs.h"

namespace postrider {
using namespace internal;
namespace {

// By the trapezoid rule over twelve deviations.
RootMoments integrated(double mean, double deviation, double floor) {
  RootMoments out;
  constexpr double kStep = 1e-4;
  for (double z = -12; z < 12; z += kStep) {
    const double g = std::max(mean + deviation * z, floor), y = g * g - floor * floor;
    const double share = kStep * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    out.mean += share * y;
    out.square += share * y * y;
  }
  return out;
}

TEST(RootMoments, AreIntegralsOverTheGaussian) {
  for (const double floor : {0.0, 0.6, 2.0})
    for (const double mean : {-2.0, 0.0, 0.7, 5.0})
      for (const double deviation : {0.1, 1.0, 3.0}) {
        const RootMoments found = root_moments(mean, deviation, floor);
        const RootMoments expected = integrated(mean, deviation, floor);
        EXPECT_NEAR(found.mean, expected.mean, 1e-7 * (1 + expected.mean))
            << mean << " " << deviation << " " << floor;
        EXPECT_NEAR(found.square, expected.square, 1e-7 * (1 + expected.square))
            << mean << " " << deviation << " " << floor;
      }
}

TEST(RootMoments, WithoutDoubtItIsTheSquareAboveTheFloor) {
  const RootMoments above = root_moments(3, 0, 1);
  EXPECT_EQ(above.mean, 8);
  EXPECT_EQ(above.square, 64);
  EXPECT_EQ(root_moments(0.5, 0, 1).mean, 0);
}

TEST(RootMoments, FarBelowTheFloorNothingIsLeft) {
  const RootMoments found = root_moments(-50, 1, 2);
  EXPECT_EQ(found.mean, 0);
  EXPECT_EQ(found.square, 0);
}

}  // namespace
}  // namespace postrider
