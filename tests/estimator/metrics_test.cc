#include "postrider/metrics.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <random>

#include "complaint.h"

namespace postrider {
namespace {

using Values = std::vector<double>;
using Labels = std::vector<std::size_t>;
using Normal = boost::math::normal_distribution<double>;

constexpr double kRounding = 1e-12, kQuadrature = 1e-8;

TEST(Metrics, OfOneNumberByHand) {
  const Values mean{1}, variance{4}, target{2};
  EXPECT_DOUBLE_EQ(root_mean_square_error(mean, target), 1);
  EXPECT_NEAR(log_likelihood({mean, variance}, target), std::log(pdf(Normal(1, 2), 2)), kRounding);
}

TEST(Metrics, ErrorsAreAveragedOverRows) {
  EXPECT_DOUBLE_EQ(root_mean_square_error(Values{0, 0}, Values{1, 7}), 5);
  const Values mean{0, 3}, variance{1, 2}, target{0.5, -1};
  EXPECT_NEAR(log_likelihood({mean, variance}, target),
              0.5 * (std::log(pdf(Normal(0, 1), 0.5)) + std::log(pdf(Normal(3, std::sqrt(2)), -1))),
              kRounding);
}

// By its definition: the integral of (cdf(x) - [x >= target])^2.
TEST(Metrics, RankedProbabilityScoreIsItsIntegral) {
  constexpr double kFar = 60;
  for (const double target : {-7.0, 0.3, 1.0, 9.0}) {
    const Normal predicted(1, 2);
    const auto below = [&](double x) { return std::pow(cdf(predicted, x), 2); };
    const auto above = [&](double x) { return std::pow(cdf(complement(predicted, x)), 2); };
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    const double expected = Rule::integrate(below, -kFar, target, 15, kQuadrature) +
                            Rule::integrate(above, target, kFar, 15, kQuadrature);
    EXPECT_NEAR(crps({Values{1}, Values{4}}, Values{target}), expected, kQuadrature);
  }
}

TEST(Metrics, CoverageCountsWhatTheCentralIntervalHolds) {
  const Values mean{0, 0, 0}, variance{1, 1, 4}, target{0.5, -2, 2.5};
  // In deviations: 0.5, 2, 1.25; the central halves reach to 0.674, nine tenths to 1.645.
  EXPECT_EQ(coverage({mean, variance}, target, Values{0.5, 0.9, 0.99}),
            (Values{1.0 / 3, 2.0 / 3, 1}));
}

TEST(Metrics, TheRightDistributionIsCalibratedAndOthersLean) {
  constexpr std::size_t kRows = 20'000;
  constexpr double kStray = 0.01;  // three deviations of the mean coverage
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Values target;
  for (std::size_t i = 0; i < kRows; ++i) target.push_back(normal(random));
  const Values mean(kRows, 0.0);
  const auto error = [&](double variance) {
    return calibration_error({mean, Values(kRows, variance)}, target);
  };
  EXPECT_NEAR(error(1), 0, kStray);
  EXPECT_EQ(calibration_error(coverage({mean, Values(kRows, 2.0)}, target, calibration_levels())),
            error(2));
  EXPECT_GT(error(2), 5 * kStray);
  EXPECT_LT(error(0.5), -5 * kStray);
}

TEST(Metrics, OfClassesByHand) {
  const Values probabilities{0.7, 0.2, 0.1, 0.1, 0.5, 0.4, 0.3, 0.3, 0.4};
  const Labels labels{0, 2, 2};
  EXPECT_DOUBLE_EQ(accuracy(probabilities, labels), 2.0 / 3);
  EXPECT_NEAR(log_loss(probabilities, labels), -(std::log(0.7) + std::log(0.4) + std::log(0.4)) / 3,
              kRounding);
  // Two bins: below one half 0.4 (right); from one half 0.7 (right) and 0.5 (wrong).
  EXPECT_NEAR(expected_calibration_error(probabilities, labels, 2), (0.6 + 0.2) / 3, kRounding);
}

TEST(Metrics, ACertainMistakeCostsMuchAndNotEverything) {
  EXPECT_NEAR(log_loss(Values{1, 0}, Labels{1}), 15 * std::log(10), kRounding);
}

TEST(Metrics, ACertainRightAnswerIsInTheLastBin) {
  EXPECT_DOUBLE_EQ(expected_calibration_error(Values{1, 0}, Labels{0}), 0);
}

TEST(Metrics, AreaUnderCurveCountsPairs) {
  const Values lower{0, 1, 2}, higher{1, 3};
  // Six pairs: 1 > 0, 1 = 1 counts half, 1 < 2, and 3 is above all.
  EXPECT_NEAR(area_under_curve(lower, higher), (1 + 0.5 + 3) / 6, kRounding);
  EXPECT_NEAR(area_under_curve(lower, higher) + area_under_curve(higher, lower), 1, kRounding);
}

TEST(Metrics, RejectSizesThatDoNotFit) {
  EXPECT_EQ(complaint([] { root_mean_square_error(Values{1}, Values{}); }),
            "targets = 0: must hold at least one row");
  EXPECT_EQ(complaint([] {
              log_likelihood({Values{1}, Values{}}, Values{1});
            }),
            "variance = 0: must be as many as the targets");
  EXPECT_EQ(complaint([] { calibration_error(Values{0.5}); }),
            "covered = 1: must be the coverage at calibration_levels()");
  EXPECT_EQ(complaint([] {
              accuracy(Values{0.5, 0.5}, Labels{2});
            }),
            "labels = 2: must be below the number of classes");
  EXPECT_EQ(complaint([] {
              log_loss(Values{0.5, 0.5, 1}, Labels{0, 1});
            }),
            "probabilities = 3: must hold the same number of classes for every label");
}

TEST(Metrics, ARatioMovesWithBothMeans) {
  const Values of{1, 2, 3, 4}, terms{2, 2, 5, 7};
  const Estimate found = ratio_estimate(terms, of);
  EXPECT_NEAR(found.value, 1.6, kRounding);
  // By the jackknife, which agrees to first order.
  Values left_out;
  for (std::size_t i = 0; i < 4; ++i) left_out.push_back((16 - terms[i]) / (10 - of[i]));
  const double spread = mean_estimate(left_out).standard_error * 3;
  EXPECT_NEAR(found.standard_error / spread, 1, 0.1);
  EXPECT_TRUE(std::isnan(ratio_estimate(Values{1}, Values{0}).value));
}

TEST(Metrics, ExplainedVarianceByHand) {
  const Values targets{1, 2, 3, 6}, mean{1, 2, 4, 5};
  EXPECT_NEAR(explained_variance(mean, targets).value, 1 - 2.0 / 14, kRounding);
  EXPECT_NEAR(explained_variance(Values{3, 3, 3, 3}, targets).value, 0, kRounding);
  EXPECT_TRUE(std::isnan(explained_variance(Values{1, 2}, Values{3, 3}).value));
}

TEST(Metrics, RelativeErrorsNeedOneSignAndNoTinyTarget) {
  EXPECT_TRUE(relative_errors_make_sense(Values{4, 50, 90}));
  EXPECT_TRUE(relative_errors_make_sense(Values{-4, -50}));
  EXPECT_FALSE(relative_errors_make_sense(Values{1, 50, 90}));
  EXPECT_FALSE(relative_errors_make_sense(Values{-1, 50, 90}));
  EXPECT_FALSE(relative_errors_make_sense(Values{0, 0}));
  EXPECT_NEAR(mean_absolute_percentage_error(Values{1, 3}, Values{2, 4}).value, 0.375, kRounding);
}

TEST(Metrics, PinballLossByHandAndLeastAtTheQuantile) {
  EXPECT_NEAR(pinball_loss(Values{1, 3}, Values{2, 1}, 0.9).value, (0.9 + 0.2) / 2, kRounding);
  // The mean loss over a uniform target in [0, 1] is least at the quantile.
  Values targets;
  for (int i = 0; i < 1000; ++i) targets.push_back((i + 0.5) / 1000);
  const auto loss = [&](double quantile) {
    return pinball_loss(Values(targets.size(), quantile), targets, 0.3).value;
  };
  EXPECT_LT(loss(0.3), loss(0.25));
  EXPECT_LT(loss(0.3), loss(0.35));
  EXPECT_NE(complaint([&] { pinball_loss(targets, targets, 1); }), "no complaint");
}

}  // namespace
}  // namespace postrider
