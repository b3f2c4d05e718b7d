// How well some rows are predicted.
#include "train/targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kClose = 1e-12;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double log_density(double y, double mean, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + (y - mean) * (y - mean) / variance);
}

// Four rows of two outputs; the second target of the third row is missing.
class GaussianRows : public testing::Test {
 protected:
  std::unique_ptr<Targets<double>> loaded(std::span<const double> row_weights = {}) const {
    auto out = make_targets<double>(Likelihood::gaussian, 2);
    out->load(values, 4, row_weights);
    return out;
  }
  double of(std::size_t row, std::size_t output) const {
    const std::size_t at = 2 * row + output;
    return log_density(values[at], mean[at], variance[at] + noise[output]);
  }

  const std::vector<double> values{1, 2, 3, 4, 5, kMissing, 7, 8};
  const std::vector<double> mean{0, 2.5, 3.5, 3, 5.2, 9, 5, 8};
  const std::vector<double> variance{.1, .2, .3, .4, .5, .6, .7, .8}, noise{0.5, 0.25};
  const Predictions<const double> predicted{mean, variance};
};

TEST_F(GaussianRows, OnlyTheNamedRowsAreAssessed) {
  const std::vector<std::uint32_t> rows{3, 2};
  const Assessment found = loaded()->assess(predicted, noise, rows);
  const std::vector<double> expected{of(3, 0), of(2, 0), of(3, 1)};
  double sum = 0, squares = 0;
  for (const double each : expected) {
    sum += each;
    squares += each * each;
  }
  EXPECT_EQ(found.count, 3);
  EXPECT_NEAR(found.score, sum / 3, kClose);
  EXPECT_NEAR(found.squares, squares, kClose);
  EXPECT_NEAR(found.standard_error(), std::sqrt((squares / 3 - sum * sum / 9) / 3), kClose);
  ASSERT_EQ(found.evidence.outputs.size(), 2U);
  EXPECT_EQ(found.evidence.outputs[0].squared_residuals.size(), 2U);
  EXPECT_NEAR(found.evidence.outputs[0].squared_residuals[0], 4, kClose);
  EXPECT_EQ(found.evidence.outputs[0].variances, (std::vector<double>{0.7, 0.5}));
  EXPECT_EQ(found.evidence.outputs[1].variances, (std::vector<double>{0.8})) << "one is missing";
}

TEST_F(GaussianRows, RowsCountByTheirWeights) {
  const std::vector<double> weights{1, 2, 0.5, 4};
  const std::vector<std::uint32_t> rows{1, 2};
  const Assessment found = loaded(weights)->assess(predicted, noise, rows);
  EXPECT_EQ(found.count, 2 + 2 + 0.5);
  const double sum = 2 * of(1, 0) + 2 * of(1, 1) + 0.5 * of(2, 0);
  EXPECT_NEAR(found.score, sum / 4.5, kClose);
  EXPECT_NEAR(found.squares,
              2 * of(1, 0) * of(1, 0) + 2 * of(1, 1) * of(1, 1) + 0.5 * of(2, 0) * of(2, 0),
              kClose);
  EXPECT_EQ(found.evidence.outputs[0].weights, (std::vector<double>{2, 0.5}));
  EXPECT_EQ(found.evidence.outputs[1].weights, (std::vector<double>{2}));
}

TEST_F(GaussianRows, AllRowsAreAllRows) {
  const std::vector<std::uint32_t> rows{0, 1, 2, 3}, none;
  const Assessment all = loaded()->assess_all(predicted, noise);
  const Assessment named = loaded()->assess(predicted, noise, rows);
  EXPECT_EQ(all.score, named.score);
  EXPECT_EQ(all.count, 7);
  const Assessment nothing = loaded()->assess(predicted, noise, none);
  EXPECT_EQ(nothing.count, 0);
  EXPECT_EQ(nothing.score, 0);
  EXPECT_EQ(nothing.standard_error(), 0);
}

TEST_F(GaussianRows, PartsAddUpToTheWhole) {
  const std::vector<double> weights{1, 2, 0.5, 4};
  const auto targets = loaded(weights);
  const std::vector<std::uint32_t> first{2}, second{0, 3}, both{2, 0, 3};
  Assessment sum;
  sum.add(targets->assess(predicted, noise, first));
  sum.add(targets->assess(predicted, noise, second));
  const Assessment whole = targets->assess(predicted, noise, both);
  EXPECT_NEAR(sum.score, whole.score, kClose);
  EXPECT_NEAR(sum.count, whole.count, kClose);
  EXPECT_NEAR(sum.squares, whole.squares, kClose);
  EXPECT_NEAR(sum.standard_error(), whole.standard_error(), kClose);
  for (std::size_t o = 0; o < 2; ++o) {
    EXPECT_EQ(sum.evidence.outputs[o].squared_residuals,
              whole.evidence.outputs[o].squared_residuals);
    EXPECT_EQ(sum.evidence.outputs[o].variances, whole.evidence.outputs[o].variances);
    EXPECT_EQ(sum.evidence.outputs[o].weights, whole.evidence.outputs[o].weights);
  }
}

TEST(ObservedRows, OnlyTheNamedRowsAreAssessed) {
  auto targets = make_targets<double>(Likelihood::classes, 1);
  const std::vector<double> labels{0, 1, 1, kMissing}, weights{1, 2, 3, 4};
  targets->load(labels, 4, weights);
  const std::vector<double> mean(4), variance(4, 1);
  const std::vector<Observed> observed{{-0.1, 0.5}, {-0.2, 0.6}, {-0.4, 0.7}, {kMissing, kMissing}};
  const std::vector<std::uint32_t> rows{2, 0, 3}, first{2}, rest{0, 3};
  const Predictions<const double> predicted{mean, variance, observed};
  const std::vector<double> noise{0.5};
  const Assessment found = targets->assess(predicted, noise, rows);
  EXPECT_EQ(found.count, 4);
  EXPECT_NEAR(found.score, (3 * -0.4 + 1 * -0.1) / 4, kClose);
  EXPECT_NEAR(found.squares, 3 * 0.16 + 0.01, kClose);
  EXPECT_EQ(found.evidence.slopes, (std::vector<double>{0.7, 0.5}));
  EXPECT_EQ(found.evidence.slope_weights, (std::vector<double>{3, 1}));
  Assessment sum = targets->assess(predicted, noise, first);
  sum.add(targets->assess(predicted, noise, rest));
  EXPECT_NEAR(sum.score, found.score, kClose);
  EXPECT_EQ(sum.evidence.slopes, found.evidence.slopes);
  EXPECT_EQ(sum.evidence.slope_weights, found.evidence.slope_weights);
}

}  // namespace
}  // namespace postrider::network
