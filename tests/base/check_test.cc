#include "base/check.h"

#include <gtest/gtest.h>

namespace postrider {
using namespace internal;
namespace {

TEST(Check, PassesWhenTheConditionHolds) { check(true, "never printed"); }

TEST(CheckDeathTest, NamesExpectationAndPlace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(check(1 + 1 == 3, "arithmetic works"), "check_test.cc:[0-9]+: .*arithmetic works");
}

TEST(CheckDeathTest, PrintsTheNumbersSeen) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const double variance = -0.25;
  EXPECT_DEATH(check(variance > 0, "variance is positive", {{"variance", variance}}),
               "variance is positive\n  variance = -0.25");
}

}  // namespace
}  // namespace postrider
