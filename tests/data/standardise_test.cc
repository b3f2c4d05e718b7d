#include "data/standardise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-13;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(Standardise, ColumnsHaveMeanZeroAndDeviationOne) {
  constexpr std::size_t kColumns = 3, kRows = 200;
  RandomStream random(1, 0);
  std::vector<double> rows;
  for (std::size_t i = 0; i < kRows; ++i)
    for (const double scale : {1e-3, 7.0, 1e6}) rows.push_back(scale * (100 + random.normal()));
  const std::vector<double> found = scales_of(Inputs(rows).of_columns(kColumns)).standardised(rows);
  for (std::size_t c = 0; c < kColumns; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t i = c; i < found.size(); i += kColumns) {
      sum += found[i];
      squares += found[i] * found[i];
    }
    EXPECT_NEAR(sum / kRows, 0, 100 * kRounding);  // the mean is a hundred deviations away
    EXPECT_NEAR(squares / kRows, 1, kRounding);
  }
}

TEST(Standardise, MissingValuesAreLeftOut) {
  const std::vector<double> rows{1, 10, kMissing, 20, 5, kMissing};
  const Scales scales = scales_of(Inputs(rows).of_columns(2));
  EXPECT_EQ(scales.mean, (std::vector<double>{3, 15}));
  EXPECT_EQ(scales.deviation, (std::vector<double>{2, 5}));
  const std::vector<double> found = scales.standardised(rows);
  EXPECT_EQ(found[0], -1);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_TRUE(std::isnan(found[5]));
  EXPECT_EQ(found[4], 1);
}

TEST(Standardise, NothingKnownOfAColumnLeavesItAlone) {
  const Scales scales =
      scales_of(Inputs(std::vector<double>{kMissing, 1, kMissing, 2}).of_columns(2));
  EXPECT_EQ(scales.mean[0], 0);
  EXPECT_EQ(scales.deviation[0], 1);
  EXPECT_EQ(scales_of(Inputs().of_columns(2)).deviation, (std::vector<double>{1, 1}));
}

// Also where the sum of many equal numbers is not exact.
TEST(Standardise, ConstantColumnsKeepTheirUnit) {
  constexpr std::size_t kRows = 100000;
  for (const double value : {0.0, 0.1, -3.0, 1e10 + 0.1, 1e-20, 1e300}) {
    const Scales scales = scales_of(Inputs(std::vector<double>(kRows, value)).of_columns(1));
    EXPECT_EQ(scales.deviation[0], 1) << value;
    EXPECT_NEAR(scales.mean[0], value, kRounding * std::abs(value)) << value;
  }
}

// What varies is standardised in any unit, however far from zero.
TEST(Standardise, TheUnitDoesNotMatter) {
  for (const double unit : {1e-200, 1e-12, 1.0, 1e12})
    for (const double offset : {0.0, 1.0, 1e9}) {
      const std::vector<double> rows{unit * (offset - 1), unit * (offset + 1)};
      const std::vector<double> found = scales_of(Inputs(rows).of_columns(1)).standardised(rows);
      const double tolerance = kRounding + offset * std::numeric_limits<double>::epsilon();
      EXPECT_NEAR(found[0], -1, tolerance) << unit << " " << offset;
      EXPECT_NEAR(found[1], 1, tolerance) << unit << " " << offset;
    }
}

TEST(Standardise, AWeightOfTwoIsARowTwice) {
  const std::vector<double> rows{1, 10, 2, 30, 4, 20}, repeated{1, 10, 1, 10, 2, 30, 4, 20};
  const Scales weighted = scales_of(Inputs(rows).of_columns(2), std::vector<double>{2, 1, 1});
  const Scales expected = scales_of(Inputs(repeated).of_columns(2));
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_DOUBLE_EQ(weighted.mean[c], expected.mean[c]);
    EXPECT_DOUBLE_EQ(weighted.deviation[c], expected.deviation[c]);
  }
}

}  // namespace
}  // namespace postrider
