#include "data/target_scales.h"

#include <gtest/gtest.h>

#include <vector>

#include "complaint.h"

namespace postrider {
namespace {

std::vector<double> in_unit(double unit) { return {unit, 3 * unit, -unit, 5 * unit}; }

TEST(TargetScales, AreThoseOfAnyColumn) {
  const std::vector<double> targets = in_unit(1e-119);
  const Scales found = target_scales(targets, 2), expected = scales_of(targets, 2);
  EXPECT_EQ(found.mean, expected.mean);
  EXPECT_EQ(found.deviation, expected.deviation);
  const std::vector<double> weights{1, 3};
  EXPECT_EQ(target_scales(targets, 2, weights).mean, scales_of(targets, 2, weights).mean);
}

// Learned in unit 1 they would all look alike, and like 0.
TEST(TargetScales, TooSmallAUnitIsRefused) {
  const std::string message = complaint([] { target_scales(in_unit(3e-130), 2); });
  EXPECT_NE(message.find("e-130: must be at least 1e-120"), std::string::npos) << message;
  EXPECT_NE(message.find("multiply the targets by 1e130"), std::string::npos) << message;
}

TEST(TargetScales, OneSmallColumnIsEnough) {
  EXPECT_NE(complaint([] {
              target_scales(std::vector<double>{1, 1e-150, 2, 2e-150}, 2);
            }),
            "no complaint");
}

// Also where the constant itself is small: there is nothing to be learned in another unit.
TEST(TargetScales, ConstantsKeepTheirUnit) {
  for (const double value : {0.0, 1.0, 1e-130})
    EXPECT_EQ(target_scales(std::vector<double>(3, value), 1).deviation[0], 1) << value;
}

}  // namespace
}  // namespace postrider
