#include "message/whole_units.h"

#include <gtest/gtest.h>

namespace postrider {
using namespace internal;
namespace {

// 2^-24 of the power of two at or below the prior's precision, and below its square root.
TEST(WholeUnits, ArePowersOfTwo) {
  const WholeUnits ten = WholeUnits::of_prior(10);
  EXPECT_EQ(ten.rho, 8.0 / (1 << 24));
  EXPECT_EQ(ten.tau, 2.0 / (1 << 24));
  const WholeUnits small = WholeUnits::of_prior(0.03);
  EXPECT_EQ(small.rho, 0.015625 / (1 << 24));
  EXPECT_EQ(small.tau, 0.125 / (1 << 24));
}

TEST(WholeUnits, RoundToTheNearest) {
  EXPECT_EQ(WholeUnits::rounded(2.4), 2);
  EXPECT_EQ(WholeUnits::rounded(-2.6), -3);
  EXPECT_EQ(WholeUnits::rounded(WholeUnits::kLargest - 1), WholeUnits::kLargest - 1);
}

}  // namespace
}  // namespace postrider
