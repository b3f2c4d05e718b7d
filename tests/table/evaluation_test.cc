#include "postrider/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "postrider/metrics.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12;

TEST(Evaluation, MeansAndTheirErrorsByHand) {
  const Estimate found = mean_estimate(std::vector<double>{1, 2, 3, 6});
  EXPECT_NEAR(found.value, 3, kRounding);
  EXPECT_NEAR(found.standard_error, std::sqrt((4 + 1 + 0 + 9) / 3.0 / 4.0), kRounding);
  EXPECT_EQ(mean_estimate(std::vector<double>{5}).standard_error, 0);
}

TEST(Evaluation, NumbersAgreeWithTheMetrics) {
  RandomStream random(2, 0);
  constexpr std::size_t kRows = 3000;
  TableEvaluation::Numbers predicted;
  std::vector<double> variances;
  for (std::size_t row = 0; row < kRows; ++row) {
    const double u = random.normal();
    predicted.mean.push_back(random.normal());
    predicted.std.push_back(random.uniform(0.5, 2));
    variances.push_back(predicted.std.back() * predicted.std.back());
    predicted.targets.push_back(predicted.mean.back() + predicted.std.back() * u);
    predicted.levels.push_back(std::erf(std::abs(u) / std::numbers::sqrt2));
    predicted.log_density.push_back(random.normal());
  }
  const std::vector<double>& targets = predicted.targets;
  const TableEvaluation found = evaluate_numbers(predicted);
  const Predicted as_metrics{predicted.mean, variances};
  EXPECT_EQ(found.rows, kRows);
  EXPECT_NEAR(found.root_mean_square_error.value, root_mean_square_error(predicted.mean, targets),
              kRounding);
  EXPECT_NEAR(found.crps.value, crps(as_metrics, targets), kRounding);
  EXPECT_EQ(found.log_likelihood.standard_error,
            mean_estimate(predicted.log_density).standard_error);
  std::vector<double> levels;
  for (const TableEvaluation::Coverage& each : found.coverage) levels.push_back(each.level);
  const std::vector<double> shares = coverage(as_metrics, targets, levels);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Estimate& share = found.coverage[k].share;
    EXPECT_NEAR(share.value, shares[k], kRounding);
    EXPECT_NEAR(share.standard_error,
                std::sqrt(share.value * (1 - share.value) / static_cast<double>(kRows - 1)),
                kRounding);
    EXPECT_NEAR(share.value, levels[k], 5 * share.standard_error);  // they are calibrated
  }
}

// The spread of the estimate over many sets is what its standard error says.
TEST(Evaluation, TheErrorOfTheRootMeanSquareIsItsSpread) {
  constexpr std::size_t kSets = 400, kRows = 200;
  std::vector<double> roots, errors;
  for (std::size_t set = 0; set < kSets; ++set) {
    RandomStream random(3, set);
    TableEvaluation::Numbers predicted;
    predicted.mean.assign(kRows, 0);
    predicted.std.assign(kRows, 1);
    predicted.levels.assign(kRows, 0);
    for (std::size_t row = 0; row < kRows; ++row) predicted.targets.push_back(random.normal());
    const TableEvaluation found = evaluate_numbers(predicted);
    roots.push_back(found.root_mean_square_error.value);
    errors.push_back(found.root_mean_square_error.standard_error);
  }
  const double spread = mean_estimate(roots).standard_error * std::sqrt(double{kSets});
  EXPECT_NEAR(mean_estimate(errors).value / spread, 1, 5 / std::sqrt(2.0 * kSets));
}

TEST(Evaluation, ClassesByHand) {
  const std::vector<double> probabilities{0.7, 0.3, 0.4, 0.6, 0.1, 0.9, 0.8, 0.2};
  const std::vector<std::size_t> labels{0, 0, 1, 0};
  const TableEvaluation found = evaluate_classes(probabilities, labels);
  EXPECT_NEAR(found.accuracy.value, 0.75, kRounding);
  EXPECT_NEAR(found.log_loss.value,
              -(std::log(0.7) + std::log(0.4) + std::log(0.9) + std::log(0.8)) / 4, kRounding);
  EXPECT_NEAR(found.brier.value, 2 * (0.09 + 0.36 + 0.01 + 0.04) / 4, kRounding);
  EXPECT_NEAR(found.expected_calibration_error.value,
              expected_calibration_error(probabilities, labels), kRounding);
  std::size_t rows = 0;
  double error = 0;
  for (const TableEvaluation::Bin& bin : found.bins) {
    rows += bin.rows;
    error += static_cast<double>(bin.rows) / 4 * std::abs(bin.confidence - bin.accuracy);
    if (bin.rows > 0) {
      EXPECT_TRUE(bin.low <= bin.confidence && bin.confidence <= bin.high);
    }
  }
  EXPECT_EQ(rows, 4u);
  EXPECT_NEAR(error, found.expected_calibration_error.value, kRounding);
  EXPECT_GT(found.expected_calibration_error.standard_error, 0);
}

TEST(Evaluation, Gaussians) {
  const std::vector<double> targets{1, 2, 4}, mean{1.5, 1.5, 1.5};
  const TableEvaluation::Numbers found = gaussian_numbers(targets, mean, {2, 2, 2});
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const double u = (targets[row] - mean[row]) / 2;
    EXPECT_NEAR(found.log_density[row],
                -0.5 * u * u - std::log(2) - 0.5 * std::log(2 * std::numbers::pi), kRounding);
    EXPECT_NEAR(found.levels[row], std::erf(std::abs(u) / std::numbers::sqrt2), kRounding);
    // 5 % of a Gaussian lie 1.644854 standard deviations below its mean.
    EXPECT_NEAR(found.quantiles[3 * row], mean[row] - 2 * 1.644854, 1e-5);
    EXPECT_EQ(found.quantiles[3 * row + 1], mean[row]);
  }
  const TableEvaluation evaluation = evaluate_numbers(found);
  ASSERT_EQ(evaluation.pinball.size(), 3u);
  EXPECT_NEAR(evaluation.pinball[1].loss.value, evaluation.mean_absolute_error.value / 2,
              kRounding);
  ASSERT_TRUE(evaluation.mean_absolute_percentage_error);
  EXPECT_NEAR(evaluation.mean_absolute_percentage_error->value, (0.5 + 0.25 + 0.625) / 3,
              kRounding);
}

// Gains row by row are log 2, log 1 and log 4 nats.
TEST(Evaluation, TheGainOverABaselineByHand) {
  const std::vector<double> model{0.8, 0.2, 0.4, 0.6, 0.2, 0.8},
      simple{0.4, 0.6, 0.4, 0.6, 0.8, 0.2};
  const std::vector<std::size_t> labels{0, 1, 1};
  const TableEvaluation::Baseline found = baseline_of_classes("other", model, simple, labels);
  EXPECT_EQ(found.name, "other");
  const double log2 = std::log(2.0);
  EXPECT_NEAR(found.gain.value, log2, kRounding);
  EXPECT_NEAR(found.gain.standard_error, std::sqrt((0 + 1 + 1) * log2 * log2 / 2 / 3), kRounding);
  EXPECT_NEAR(found.evaluation.log_loss.value, -(std::log(0.4) + std::log(0.6) + std::log(0.2)) / 3,
              kRounding);

  // A unit nearer with a standard deviation of 1: half a nat.
  const TableEvaluation::Numbers near = gaussian_numbers({1, 2}, {1, 2}, {1, 1});
  const TableEvaluation::Numbers far = gaussian_numbers({1, 2}, {2, 1}, {1, 1});
  EXPECT_NEAR(baseline_of_numbers("other", near, far).gain.value, 0.5, kRounding);
  EXPECT_NEAR(baseline_of_numbers("other", far, near).gain.value, -0.5, kRounding);
}

}  // namespace
}  // namespace postrider
