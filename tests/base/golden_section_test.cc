#include "base/golden_section.h"

#include <gtest/gtest.h>

#include <cmath>

namespace postrider {
using namespace internal;
namespace {

// What so many steps leave of a range, and half of it is missed at most.
double left_of(double range, int steps) {
  return 0.5 * range * std::pow((std::sqrt(5.0) - 1) / 2, steps);
}

TEST(GoldenSection, FindsTheMaximumWithinWhatTheStepsLeave) {
  for (const double peak : {-1.9, -0.3, 0.0, 1.234, 2.9})
    for (const int steps : {5, 14, 30}) {
      const double found =
          golden_section(-2, 3, steps, [&](double x) { return -std::abs(x - peak); });
      EXPECT_NEAR(found, peak, left_of(5, steps)) << steps << " steps";
    }
}

TEST(GoldenSection, AMaximumAtABorderIsFoundThere) {
  EXPECT_NEAR(golden_section(-2, 3, 30, [](double x) { return x; }), 3, left_of(5, 30));
  EXPECT_NEAR(golden_section(-2, 3, 30, [](double x) { return -x; }), -2, left_of(5, 30));
}

TEST(GoldenSection, AStepTakesOneValue) {
  int values = 0;
  golden_section(0, 1, 12, [&](double x) {
    ++values;
    return -x * x;
  });
  EXPECT_EQ(values, 2 + 12);
}

}  // namespace
}  // namespace postrider
