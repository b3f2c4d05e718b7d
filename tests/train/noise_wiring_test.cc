// How much what is known of the noise counts against new rows.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "train/noise.h"

namespace postrider::network {
using namespace internal;
namespace {

// To first order in one over the rows known.
constexpr double kFirstOrder = 0.02;

// A noise variance b known as the mean square of n rows, and one more residual r: the most likely variance
// is (n b + r^2)/(n + 1). The slope of the new row's log-likelihood by log b is (r^2/b - 1)/2.
TEST(NoiseWiring, KnownRowsCountAsRowsDo) {
  constexpr double kNoise = 0.3;
  for (const double rows : {1000.0, 5000.0})
    for (const double squared_residual : {0.0, 0.1, 1.2, 2.0}) {
      const double slope = 0.5 * (squared_residual / kNoise - 1);
      const double expected = (rows * kNoise + squared_residual) / (rows + 1);
      const double found = noise_by_slopes(kNoise, std::vector{slope}, rows);
      EXPECT_NEAR(std::log(found / kNoise) / std::log(expected / kNoise), 1, kFirstOrder)
          << rows << " " << squared_residual;
    }
}

TEST(NoiseWiring, ASlopeOfWeightTwoIsTwoSlopes) {
  const std::vector<double> one{0.4}, two{0.4, 0.4}, twice{2};
  EXPECT_DOUBLE_EQ(noise_by_slopes(1, one, 30, twice), noise_by_slopes(1, two, 30));
}

}  // namespace
}  // namespace postrider::network
