#include "data/target_scales.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "complaint.h"

namespace postrider {
using namespace internal;
namespace {

std::vector<double> in_unit(double unit) { return {unit, 3 * unit, -unit, 5 * unit}; }

TargetScales plain(const std::vector<double>& targets, std::size_t columns) {
  return target_scales(targets, columns, {}, EstimatorOptions::TargetScale::plain);
}

TEST(TargetScales, AreThoseOfAnyColumn) {
  const std::vector<double> targets = in_unit(1e-119);
  const TargetScales found = plain(targets, 2);
  const Scales expected = scales_of(Inputs(targets).of_columns(2));
  EXPECT_EQ(found.plain().mean, expected.mean);
  EXPECT_EQ(found.plain().deviation, expected.deviation);
  EXPECT_EQ(found.learned(targets), expected.standardised(targets));
  EXPECT_EQ(found.score_shift(targets), 0);
  const std::vector<double> weights{1, 3};
  EXPECT_EQ(target_scales(targets, 2, weights, EstimatorOptions::TargetScale::plain).plain().mean,
            scales_of(Inputs(targets).of_columns(2), weights).mean);
}

// Learned in unit 1 they would all look alike, and like 0.
TEST(TargetScales, TooSmallAUnitIsRefused) {
  const std::string message = complaint([] { plain(in_unit(3e-130), 2); });
  EXPECT_NE(message.find("e-130: must be at least 1e-120"), std::string::npos) << message;
  EXPECT_NE(message.find("multiply the targets by 1e130"), std::string::npos) << message;
}

TEST(TargetScales, OneSmallColumnIsEnough) {
  EXPECT_NE(complaint([] { plain({1, 1e-150, 2, 2e-150}, 2); }), "no complaint");
}

// Also where the constant itself is small: there is nothing to be learned in another unit.
TEST(TargetScales, ConstantsKeepTheirUnit) {
  for (const double value : {0.0, 1.0, 1e-130})
    EXPECT_EQ(plain(std::vector<double>(3, value), 1).plain().deviation[0], 1) << value;
}

const std::vector<double> kCounts{0, 1, 1, 2, 5, 30, std::nan("")};
TargetScales roots() { return target_scales(kCounts, 1, {}, EstimatorOptions::TargetScale::root); }

TEST(TargetScales, RootsHaveDeviationOneAndCountsAnscombesOffset) {
  const TargetScales scales = roots();
  EXPECT_TRUE(scales.has_root());
  EXPECT_EQ(scales.column(0).offset(), 3.0 / 8);
  std::vector<double> expected;
  for (const double count : kCounts) expected.push_back(std::sqrt(count + 3.0 / 8));
  const Scales of_roots = scales_of(Inputs(expected).of_columns(1));
  for (std::size_t i = 0; i + 1 < kCounts.size(); ++i)
    EXPECT_DOUBLE_EQ(scales.learned(kCounts)[i], of_roots.standardised(expected)[i]);
  EXPECT_TRUE(std::isnan(scales.learned(kCounts).back()));
  EXPECT_EQ(scales.plain().mean, scales_of(Inputs(kCounts).of_columns(1)).mean);
}

TEST(TargetScales, ThereAndBackIsTheSameTarget) {
  const TargetScales scales = roots();
  const TargetColumn& column = scales.column(0);
  for (const double y : {0.0, 1e-6, 0.3, 7.0, 1e6})
    EXPECT_NEAR(column.in_units(column.learned(y)), y, 1e-12 * (1 + y)) << y;
}

TEST(TargetScales, NothingIsPredictedBelowZero) {
  const TargetScales scales = roots();
  double before = -1;
  for (double t = -20; t < 3; t += 0.01) {
    const double y = scales.column(0).in_units(t);
    EXPECT_GE(y, 0);
    EXPECT_GE(y, before - 1e-12);  // rising
    before = y;
  }
}

// By the difference quotient, and on both sides of zero.
TEST(TargetScales, SlopesAreThoseOfTheScale) {
  const TargetScales scales = roots();
  const TargetColumn& column = scales.column(0);
  for (const double y : {-3.0, -0.1, 0.1, 2.0, 50.0}) {
    const double step = 1e-6;
    const double slope = (column.learned(y + step) - column.learned(y - step)) / (2 * step);
    EXPECT_NEAR(column.log_slope(y), std::log(slope), 1e-6) << y;
  }
  // log-density of y plain = of t + log dt/dy + log of the plain deviation.
  double expected = 0;
  for (std::size_t i = 0; i + 1 < kCounts.size(); ++i)
    expected += (column.log_slope(kCounts[i]) + std::log(scales.plain().deviation[0])) / 6;
  EXPECT_NEAR(scales.score_shift(kCounts), expected, 1e-12);
}

TEST(TargetScales, RootsAreForTargetsThatDifferMuchAndAreNotNegative) {
  EXPECT_TRUE(may_be_root(kCounts, 1));
  EXPECT_TRUE(may_be_root(std::vector<double>{1, 5}, 1));
  EXPECT_FALSE(may_be_root(std::vector<double>{420, 500}, 1));
  EXPECT_FALSE(may_be_root(std::vector<double>{-1e-9, 5}, 1));
  EXPECT_FALSE(may_be_root(std::vector<double>{0, 0}, 1));
  EXPECT_FALSE(may_be_root(std::vector<double>{0, 1e-125}, 1));
  EXPECT_FALSE(may_be_root(std::vector<double>{std::nan(""), std::nan("")}, 1));
  EXPECT_FALSE(may_be_root(std::vector<double>{1, -1, 9, 1}, 2));  // one column of two
}

TEST(TargetScales, RootsThatThereAreNotAreRefused) {
  EXPECT_EQ(complaint([] {
              target_scales(std::vector<double>{1, -2}, 1, {}, EstimatorOptions::TargetScale::root);
            }),
            "target_scale = \"root\": needs targets that are not negative, and not all zero");
}

TEST(TargetScales, ScalesOfAFileAreChecked) {
  const Scales plain{{1}, {2}};
  EXPECT_NE(complaint([&] { TargetScales(plain, {}); }), "no complaint");
  for (const TargetColumn& wrong : {TargetColumn(0, 0, 1), TargetColumn(std::nan(""), 1, 1),
                                    TargetColumn(0, 1, -1), TargetColumn(0, 1, std::nan(""))})
    EXPECT_NE(complaint([&] { TargetScales(plain, {wrong}); }), "no complaint");
}

}  // namespace
}  // namespace postrider
