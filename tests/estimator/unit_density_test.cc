// The density on [0, 1] against sums that are made here.
#include "estimator/unit_density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace postrider {
using namespace internal;
namespace {

const std::vector<double> kProbabilities{0.1, 0.5, 0.0, 0.15, 0.25};

// What the formula says at a centre.
double at_centre(const std::vector<double>& p, double share, std::size_t bin) {
  return 1 - share + share * static_cast<double>(p.size()) * p[bin];
}

TEST(UnitDensity, HasTheFormulaAtCentresAndIsStraightBetween) {
  const UnitDensity g(kProbabilities, 0.7);
  for (std::size_t b = 0; b < 5; ++b)
    EXPECT_NEAR(g.density((static_cast<double>(b) + 0.5) / 5), at_centre(kProbabilities, 0.7, b),
                1e-12);
  EXPECT_NEAR(g.density(0.2),
              0.5 * (at_centre(kProbabilities, 0.7, 0) + at_centre(kProbabilities, 0.7, 1)), 1e-12);
  EXPECT_NEAR(g.density(0), at_centre(kProbabilities, 0.7, 0), 1e-12);
  EXPECT_NEAR(g.density(1), at_centre(kProbabilities, 0.7, 4), 1e-12);
}

TEST(UnitDensity, IsTheDerivativeOfWhatIsBelow) {
  const UnitDensity g(kProbabilities, 0.98);
  double sum = 0;
  constexpr int kSteps = 100000;
  for (int k = 0; k < kSteps; ++k) {
    const double u = (k + 0.5) / kSteps;
    sum += g.density(u) / kSteps;
    if (k % 10007 == 0) {
      EXPECT_NEAR(g.below((k + 1.0) / kSteps), sum, 1e-8);
    }
  }
  EXPECT_NEAR(sum, 1, 1e-8);
  EXPECT_EQ(g.below(0), 0);
  EXPECT_NEAR(g.below(1), 1, 1e-12);
}

TEST(UnitDensity, InverseUndoesBelow) {
  for (const double share : {0.0, 0.3, 0.98}) {
    const UnitDensity g(kProbabilities, share);
    for (double u = 0; u <= 1; u += 1.0 / 512) EXPECT_NEAR(g.inverse(g.below(u)), u, 1e-12);
    for (double p = 1e-9; p < 1; p += 0.0173) EXPECT_NEAR(g.below(g.inverse(p)), p, 1e-12);
  }
}

TEST(UnitDensity, WithoutAShareNothingIsBent) {
  const UnitDensity g(kProbabilities, 0);
  for (double u = 0; u <= 1; u += 0.0625) {
    EXPECT_NEAR(g.density(u), 1, 1e-12);
    EXPECT_NEAR(g.below(u), u, 1e-12);
    EXPECT_NEAR(g.inverse(u), u, 1e-12);
  }
}

// A bin that is ruled out keeps what the share leaves, and its inverse is finite.
TEST(UnitDensity, OneBinHasEverything) {
  const UnitDensity g(std::vector<double>{0, 0, 1, 0}, 0.98);
  EXPECT_NEAR(g.density(0.01), 0.02, 1e-12);
  EXPECT_GT(g.inverse(1e-9), 0);
  EXPECT_LT(g.inverse(1 - 1e-9), 1);
}

}  // namespace
}  // namespace postrider
