#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "certify/exact_message.h"

namespace postrider::graph {
using namespace internal;
namespace {

constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

TEST(PowerLawExponent, IsThatOfAnExactPowerLaw) {
  for (const double exponent : {-1.5, 0.0, 0.5, 1.0, 2.0, 4.0}) {
    std::vector<double> x, y;
    for (int i = 1; i <= 9; ++i) {
      x.push_back(std::pow(0.5, i));
      y.push_back(3e-7 * std::pow(x.back(), exponent));
    }
    EXPECT_NEAR(power_law_exponent(x, y).value(), exponent, kRounding) << exponent;
  }
}

// log y = 0, 1, 1 at log x = 0, 1, 2: the line of least squares has slope 1/2.
TEST(PowerLawExponent, IsTheLineOfLeastSquares) {
  const double e = std::exp(1.0);
  EXPECT_NEAR(power_law_exponent(std::vector{1.0, e, e * e}, std::vector{1.0, e, e}).value(), 0.5,
              kRounding);
}

TEST(PowerLawExponent, NeedsThreePairs) {
  EXPECT_FALSE(power_law_exponent({}, {}).has_value());
  EXPECT_FALSE(power_law_exponent(std::vector{1.0, 2.0}, std::vector{1.0, 4.0}).has_value());
  EXPECT_TRUE(power_law_exponent(std::vector{1.0, 2.0, 4.0}, std::vector{1.0, 4.0, 16.0}));
}

TEST(PowerLawExponentDeathTest, NeedsPairs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(power_law_exponent(std::vector{1.0, 2.0, 3.0}, std::vector{1.0, 4.0}), "pairs");
}

}  // namespace
}  // namespace postrider::graph
