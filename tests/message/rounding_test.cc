#include "message/rounding.h"

#include <gtest/gtest.h>

namespace postrider {
using namespace internal;
namespace {

const Gaussian kBelief = Gaussian::from_natural(3, 1);
constexpr double kTiny = -2e-16;

TEST(Rounding, ANegativePrecisionFarBelowTheOther) {
  EXPECT_TRUE(is_rounding(Gaussian::from_natural(0, kTiny), kBelief));
  EXPECT_TRUE(is_rounding(Gaussian::from_natural(4e-16, kTiny), kBelief));
  EXPECT_FALSE(is_rounding(Gaussian::from_natural(0, -1e-9), kBelief));
}

TEST(Rounding, IsRelative) {
  EXPECT_TRUE(is_rounding(Gaussian::from_natural(0, -2e-6), Gaussian::from_natural(0, 1e10)));
  EXPECT_FALSE(is_rounding(Gaussian::from_natural(0, kTiny), Gaussian::from_natural(0, 1e-10)));
}

TEST(Rounding, ASlopeIsNone) {
  EXPECT_FALSE(is_rounding(Gaussian::from_natural(1e-3, kTiny), kBelief));
}

TEST(Rounding, WhatIsProperIsNotTouched) {
  EXPECT_FALSE(is_rounding(Gaussian::from_natural(0, -kTiny), kBelief));
  EXPECT_FALSE(is_rounding(Gaussian::uniform(), kBelief));
  EXPECT_FALSE(is_rounding(Gaussian::from_natural(0, kTiny), Gaussian::uniform()));
}

}  // namespace
}  // namespace postrider
