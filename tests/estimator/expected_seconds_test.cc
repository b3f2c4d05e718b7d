#include <gtest/gtest.h>

#include "postrider/time_budget.h"

namespace postrider {
namespace {

// Concrete, kin8nm and a made table as bench/results/time_to_model.json and made.json have them: seconds of one thread.
TEST(ExpectedSeconds, AreAboutThoseThatWereMeasured) {
  const auto expect_about = [](double measured, double expected) {
    EXPECT_GT(expected, measured / 2.6);
    EXPECT_LT(expected, measured * 2.6);
  };
  const EstimatorOptions options;
  expect_about(7.8, expected_seconds(options, 927, 8, 2));
  expect_about(27, expected_seconds(options, 7372, 8, 2));
  expect_about(51, expected_seconds(options, 41157, 9, 2));
  expect_about(0.4, expected_seconds(options, 200, 5, 2));
}

TEST(ExpectedSeconds, GrowWithRowsMembersAndEffort) {
  EstimatorOptions options;
  const double one = expected_seconds(options, 1000, 10, 2);
  EXPECT_GT(expected_seconds(options, 2000, 10, 2), 1.3 * one);
  EXPECT_LT(expected_seconds(options, 2000, 10, 2), 4 * one);
  options.ensemble_size = 16;
  EXPECT_EQ(expected_seconds(options, 1000, 10, 2), one);
  options.ensemble_size = 17;
  EXPECT_EQ(expected_seconds(options, 1000, 10, 2), 2 * one);
  options.ensemble_size = 0;
  options.training.effort = TrainerOptions::Effort::quick;
  EXPECT_LT(expected_seconds(options, 1000, 10, 2), one / 3);
  options.training.effort = TrainerOptions::Effort::thorough;
  EXPECT_GT(expected_seconds(options, 1000, 10, 2), 1.5 * one);
}

TEST(ExpectedSeconds, OfNothingAreNone) { EXPECT_EQ(expected_seconds({}, 0, 4, 1), 0); }

}  // namespace
}  // namespace postrider
