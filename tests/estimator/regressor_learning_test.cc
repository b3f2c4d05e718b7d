// What a regressor learns, at length: too slow for instrumented code.
#include <gtest/gtest.h>

#include <cmath>

#include "estimator/sine.h"
#include "files.h"
#include "postrider/metrics.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

TEST_F(NoisySine, IsPredictedAsWellAsTheNoiseAllows) {
  // In units of the noise's standard deviation.
  constexpr double kMostError = 1.15, kLeastNoise = 0.85, kMostNoise = 1.2;
  Regressor regressor({.hidden = {50}});
  const std::vector<FitReport> reports = regressor.fit(training.x, training.y);
  EXPECT_EQ(reports.size(), regressor.ensemble_size());
  for (const FitReport& report : reports) EXPECT_GE(report.best_epoch, 1U);
  EXPECT_EQ(regressor.inputs(), 1U);
  const Forecast forecast = regressor.predict(held_out.x);
  ASSERT_EQ(forecast.mean.size(), held_out.y.size());
  EXPECT_LT(root_mean_square_error(forecast.mean, held_out.y), kMostError * kSineNoise);
  const double noise = std::sqrt(forecast.noise_variance[0]) / kSineNoise;
  EXPECT_GT(noise, kLeastNoise);
  EXPECT_LT(noise, kMostNoise);

  // Nine in ten lie within 1.645 deviations; four deviations of such a count, and the network's own.
  constexpr double kDeviations = 1.6448536269514722, kShare = 0.9, kCountError = 0.06;
  double inside = 0;
  for (std::size_t i = 0; i < held_out.y.size(); ++i) {
    const double gap = std::abs(held_out.y[i] - forecast.mean[i]);
    if (gap < kDeviations * std::sqrt(forecast.variance[i])) inside += 1;
    EXPECT_GT(forecast.variance[i], forecast.noise_variance[i]);
  }
  EXPECT_NEAR(inside / static_cast<double>(held_out.y.size()), kShare, kCountError);
}

// On the right the noise is five times what it is on the left. Rows that are left out judge noise and doubt together, and end
// training a few epochs after noise may vary: where there is little noise, doubt has the place of some of it. Both together must be right.
TEST(VaryingNoiseRegressor, LearnsWhereTheNoiseIsLarge) {
  constexpr std::size_t kRows = 1500;
  constexpr double kLow = 0.1, kHigh = 0.5, kMostRatio = 1.4, kLeastOfNoise = 0.4, kLeastGain = 0.1;
  RandomStream random(8, 0);
  const auto draw = [&](std::vector<double>& x, std::vector<double>& y) {
    for (std::size_t i = 0; i < kRows; ++i) {
      x.push_back(random.uniform(-2, 2));
      y.push_back(std::sin(2 * x.back()) + (x.back() < 0 ? kLow : kHigh) * random.normal());
    }
  };
  std::vector<double> x, y, held_out_x, held_out_y;
  draw(x, y);
  draw(held_out_x, held_out_y);
  EstimatorOptions options{
      .ensemble_size = 8, .encoding = Encoding::standard, .training = {.max_epochs = 60}};
  Regressor varying(options);
  options.varying_noise = false;
  Regressor constant(options);
  varying.fit(x, y);
  constant.fit(x, y);
  EXPECT_GT(varying.log_likelihood(held_out_x, held_out_y),
            constant.log_likelihood(held_out_x, held_out_y) + kLeastGain);
  const Forecast forecast = varying.predict(std::vector<double>{-1.2, -0.7, 0.7, 1.2});
  for (std::size_t i = 0; i < 4; ++i) {
    const double truth = i < 2 ? kLow : kHigh;
    const double ratio = std::sqrt(forecast.noise_variance[i]) / truth,
                 of_all = std::sqrt(forecast.variance[i]) / truth;
    EXPECT_LT(ratio, kMostRatio);
    EXPECT_GT(ratio, kLeastOfNoise);
    EXPECT_LT(of_all, kMostRatio);
    EXPECT_GT(of_all, 1 / kMostRatio);
    EXPECT_GT(forecast.variance[i], forecast.noise_variance[i]);
  }
  const TemporaryFolder folder;
  varying.save(folder.file("model"));
  const Regressor loaded = Regressor::load(folder.file("model"));
  EXPECT_TRUE(loaded.options().varying_noise);
  EXPECT_EQ(loaded.log_likelihood(held_out_x, held_out_y),
            varying.log_likelihood(held_out_x, held_out_y));
}

TEST_F(NoisySine, LayersAreNarrowedToWhatTheRowsCanFill) {
  constexpr double kMostError = 1.15;  // of the noise's deviation
  Regressor wide({.hidden = {1000, 1000}, .ensemble_size = 4, .encoding = Encoding::standard});
  wide.fit(training.x, training.y);
  EXPECT_LE(wide.network().weight_count(), training.y.size());
  EXPECT_LT(root_mean_square_error(wide.predict(held_out.x).mean, held_out.y),
            kMostError * kSineNoise);
  Regressor as_told({.hidden = {500}, .weights_per_example = 0, .training = {.max_epochs = 1}});
  as_told.fit(training.x, training.y);
  EXPECT_EQ(as_told.network().options().layers.front().units, 500U);
}

// In other units of inputs and targets the forecast is the same in those units.
TEST_F(NoisySine, UnitsDoNotMatter) {
  constexpr double kRounding = 1e-7;
  const EstimatorOptions options{.hidden = {20},
                                 .ensemble_size = 2,
                                 .encoding = Encoding::standard,
                                 .precision = network::Precision::float64,
                                 .training = {.max_epochs = 8}};
  Regressor plain(options);
  plain.fit(training.x, training.y);
  const Forecast expected = plain.predict(held_out.x);
  for (const double unit : {1e-12, 1e-3, 1000.0})
    for (const double shift : {0.0, 50.0}) {
      const auto changed = [&](std::vector<double> values) {
        for (double& value : values) value = unit * (value + shift);
        return values;
      };
      Regressor regressor(options);
      regressor.fit(changed(training.x), changed(training.y));
      const Forecast found = regressor.predict(changed(held_out.x));
      for (std::size_t i = 0; i < found.mean.size(); ++i) {
        ASSERT_NEAR(found.mean[i] / unit - shift, expected.mean[i], kRounding)
            << unit << " " << shift;
        ASSERT_NEAR(found.variance[i] / (unit * unit), expected.variance[i], kRounding);
        ASSERT_NEAR(found.noise_variance[i] / (unit * unit), expected.noise_variance[i], kRounding);
      }
    }
}

}  // namespace
}  // namespace postrider
