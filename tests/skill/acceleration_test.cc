#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "skill/smoothing.h"

namespace postrider::internal::games {
namespace {

// x -> A x + b with a diagonal A: every mode has its own rate, one of them slow, and the fixed point is b/(1 - a).
const std::vector<double> kRates{0.99, 0.9, 0.5, 0.2, -0.3};

std::vector<double> step(const std::vector<double>& x) {
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = kRates[i] * x[i] + 1;
  return out;
}

TEST(Accelerator, FindsTheFixedPointInAsManyStepsAsThereAreModes) {
  Accelerator accelerator(kRates.size(), 6);
  std::vector<double> x(kRates.size(), 0);
  for (int i = 0; i < 12; ++i) {
    std::vector<double> after = step(x);
    accelerator.extrapolate(x, after);
    x = after;
  }
  // Differences are kept in single precision; plain steps would leave 100 x 0.99^12 in the first.
  constexpr double kSingle = 1e-4;
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], 1 / (1 - kRates[i]), kSingle);
}

TEST(Accelerator, TheFirstStepIsPlain) {
  Accelerator accelerator(2, 3);
  const std::vector<double> before{0, 0};
  std::vector<double> after{1, 2};
  accelerator.extrapolate(before, after);
  EXPECT_EQ(after, (std::vector<double>{1, 2}));
}

TEST(Accelerator, StaysWhereNothingMoves) {
  Accelerator accelerator(2, 3);
  const std::vector<double> before{1, 2};
  for (int i = 0; i < 4; ++i) {
    std::vector<double> after{1, 2};
    accelerator.extrapolate(before, after);
    EXPECT_EQ(after, before);
  }
}

}  // namespace
}  // namespace postrider::internal::games
