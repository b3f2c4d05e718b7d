#include "explain/unusual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace postrider::internal {
namespace {

// The inverse error function is exact to a few units of the last place.
constexpr double kRounding = 1e-12;

double one(double value, double mean, double std) {
  const std::vector<double> row{value};
  const std::vector<std::size_t> group{0};
  const std::vector<Estimator::ColumnScale> scales{{mean, std}};
  return unusualness(row, group, scales);
}

TEST(Unusual, NumbersAreStandardDeviationsFromTheMean) {
  EXPECT_EQ(one(7, 3, 2), 2);
  EXPECT_EQ(one(-1, 3, 2), 2);
  EXPECT_EQ(one(std::numeric_limits<double>::quiet_NaN(), 3, 2), 0);
  EXPECT_EQ(one(1, 0.5, 0.1), 5);  // not 0 or 1 in all rows: its variance would be 1/4
}

// A standard normal number lies beyond z with the probability erfc(z / sqrt 2).
TEST(Unusual, CategoriesAreAsFarOutAsANumberThatIsAsRare) {
  for (const double share : {0.5, 0.1, 0.001}) {
    const double std = std::sqrt(share * (1 - share));
    EXPECT_NEAR(std::erfc(one(1, share, std) / std::sqrt(2)), share, kRounding);
    EXPECT_NEAR(std::erfc(one(0, share, std) / std::sqrt(2)), 1 - share, kRounding);
  }
}

TEST(Unusual, OfAGroupIsTheLargest) {
  const std::vector<double> row{4, 1, 100};
  const std::vector<std::size_t> group{0, 1};
  const std::vector<Estimator::ColumnScale> scales{{0, 1}, {0, 1}, {0, 1}};
  EXPECT_EQ(unusualness(row, group, scales), 4);
}

}  // namespace
}  // namespace postrider::internal
