#include "postrider/regressor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "complaint.h"
#include "estimator/sine.h"
#include "files.h"
#include "postrider/metrics.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

EstimatorOptions quick() {
  return {.hidden = {20},
          .ensemble_size = 1,
          .encoding = Encoding::standard,
          .training = {.max_epochs = 20}};
}

TEST_F(NoisySine, TheVarianceGrowsOutsideTheData) {
  Regressor regressor(quick());
  regressor.fit(training.x, training.y);
  const std::vector<double> places{0, 4, 6, 12, -6, -12};
  const Forecast at = regressor.predict(places);
  std::vector<double> open;
  for (std::size_t i = 0; i < places.size(); ++i)
    open.push_back(at.variance[i] - at.noise_variance[i]);
  constexpr double kClearly = 3;
  EXPECT_GT(open[2], kClearly * open[0]);
  EXPECT_GT(open[4], kClearly * open[0]);
  EXPECT_GT(open[2], open[1]);
  EXPECT_GT(open[3], open[2]);
  EXPECT_GT(open[5], open[4]);
}

TEST_F(NoisySine, SeveralOutputsInTheirOwnUnits) {
  std::vector<double> both;
  for (const double y : training.y) both.insert(both.end(), {y, 7 - 1000 * y});
  EstimatorOptions options = quick();
  options.outputs = 2;
  Regressor regressor(options);
  regressor.fit(training.x, both);
  const Forecast forecast = regressor.predict(std::vector<double>{1.5, -1.5});
  constexpr double kClose = 0.15;
  EXPECT_NEAR(forecast.mean[0], std::sin(1.5), kClose);
  EXPECT_NEAR(forecast.mean[1], 7 - 1000 * std::sin(1.5), 1000 * kClose);
  EXPECT_NEAR(forecast.mean[2], std::sin(-1.5), kClose);
  EXPECT_NEAR(forecast.mean[3], 7 - 1000 * std::sin(-1.5), 1000 * kClose);
  EXPECT_GT(forecast.noise_variance[1], 1e5 * forecast.noise_variance[0]);
}

TEST_F(NoisySine, ThreadsAndCopiesGiveTheSameBits) {
  EstimatorOptions options = quick();
  Regressor one(options);
  one.fit(training.x, training.y);
  options.training.threads = 3;
  Regressor three(options);
  three.fit(training.x, training.y);
  EXPECT_EQ(one.predict(held_out.x).mean, three.predict(held_out.x).mean);
  EXPECT_EQ(one.predict(held_out.x).variance, three.predict(held_out.x).variance);
  const Forecast before = one.predict(held_out.x);
  const Regressor moved = std::move(one);
  EXPECT_EQ(moved.predict(held_out.x).mean, before.mean);
}

TEST_F(NoisySine, FittingAgainForgets) {
  Regressor regressor(quick()), other(quick());
  other.fit(training.x, training.y);
  regressor.fit(held_out.x, held_out.y);
  regressor.partial_fit(held_out.x, held_out.y);
  regressor.fit(training.x, training.y);
  EXPECT_EQ(regressor.predict(held_out.x).mean, other.predict(held_out.x).mean);
}

TEST_F(NoisySine, AStreamAloneLearns) {
  constexpr double kMostError = 1.5;  // of the noise's deviation
  Regressor regressor(quick());
  const Sine stream = noisy_sine(4000, 3);
  constexpr std::size_t kRows = 100;
  for (std::size_t i = 0; i < stream.x.size(); i += kRows)
    regressor.partial_fit(std::span(stream.x).subspan(i, kRows),
                          std::span(stream.y).subspan(i, kRows));
  const Forecast forecast = regressor.predict(held_out.x);
  EXPECT_LT(root_mean_square_error(forecast.mean, held_out.y), kMostError * kSineNoise);
}

TEST_F(NoisySine, AStreamAfterAFitKnowsMore) {
  Regressor regressor(quick());
  regressor.fit(std::span(training.x).first(60), std::span(training.y).first(60));
  const Forecast before = regressor.predict(held_out.x);
  const double error_before = root_mean_square_error(before.mean, held_out.y);
  const Sine more = noisy_sine(2000, 4);
  regressor.partial_fit(more.x, more.y);
  const Forecast after = regressor.predict(held_out.x);
  EXPECT_LT(root_mean_square_error(after.mean, held_out.y), error_before);
  for (std::size_t i = 0; i < held_out.x.size(); ++i)
    EXPECT_LT(after.variance[i] - after.noise_variance[i],
              before.variance[i] - before.noise_variance[i]);
}

TEST_F(NoisySine, MissingInputsAreForecastVaguely) {
  Regressor regressor(quick());
  regressor.fit(training.x, training.y);
  const Forecast at = regressor.predict(std::vector<double>{kMissing, 0.5});
  EXPECT_GT(at.variance[0], 2 * at.variance[1]);
  // The targets' mean is about zero, and their variance one half.
  EXPECT_NEAR(at.mean[0], 0, 0.3);
}

TEST_F(NoisySine, NoiseThatIsKnownIsNotLearned) {
  const std::vector<double>& y = training.y;
  const auto rows = static_cast<double>(y.size());
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / rows;
  const double squares = std::inner_product(y.begin(), y.end(), y.begin(), 0.0);
  const double standard_deviation = std::sqrt(squares / rows - mean * mean);
  for (const double given : {0.0, 0.25}) {
    Regressor model(
        {.hidden = {8}, .ensemble_size = 2, .noise_std = {given}, .training = {.max_epochs = 25}});
    EXPECT_FALSE(model.options().varying_noise);
    model.fit(training.x, training.y);
    const double expected = given > 0 ? given : 1e-3 * standard_deviation;
    for (const double variance : model.predict(training.x).noise_variance)
      EXPECT_NEAR(std::sqrt(variance), expected, 1e-9);
    std::stringstream bytes;
    model.save(bytes);
    Regressor loaded = Regressor::load(bytes);
    EXPECT_EQ(loaded.options().noise_std, std::vector<double>{given});
    loaded.partial_fit(training.x, training.y);
    EXPECT_NEAR(std::sqrt(loaded.predict(training.x).noise_variance.front()), expected, 1e-9);
    Regressor stream({.noise_std = {given}});
    stream.partial_fit(training.x, training.y);
    EXPECT_NEAR(std::sqrt(stream.predict(training.x).noise_variance.front()), expected, 1e-9);
  }
  EXPECT_EQ(complaint([] {
              Regressor model({.noise_std = {1, 2}});
            }),
            "noise_std = 1,2: must be one number, or one for each target");
  EXPECT_EQ(
      complaint([] {
        Regressor model({.noise_std = {1}, .target_scale = EstimatorOptions::TargetScale::root});
      }),
      "noise_std = 1: does not go with targets that are learned as square roots, where noise "
      "of one size has many");
  EXPECT_EQ(complaint([] { Regressor model({.noise_std = {-1}}); }),
            "noise_std = -1: must be numbers of at least 0");
}

TEST_F(NoisySine, NoiseThatIsKnownIsResumed) {
  const TemporaryFolder folder;
  EstimatorOptions options = quick();
  options.noise_std = {0.1};
  Regressor whole(options);
  whole.fit(training.x, training.y);
  options.training.checkpoint = folder.file("known_noise");
  options.training.max_epochs = 4;  // before the noise has come down to what is known
  Regressor(options).fit(training.x, training.y);
  options.training.max_epochs = quick().training.max_epochs;
  options.training.resume = true;
  Regressor resumed(options);
  resumed.fit(training.x, training.y);
  EXPECT_EQ(resumed.predict(training.x).variance, whole.predict(training.x).variance);
  options.noise_std = {0.2};
  EXPECT_THROW(Regressor(options).fit(training.x, training.y), CorruptFile);
}

TEST(Regressor, SaysWhatIsMissingBeforeAnythingWasLearned) {
  const Regressor regressor(quick());
  const std::string expected = "this regressor has not learned anything yet: call fit() first";
  EXPECT_EQ(trouble([&] { regressor.predict(std::vector<double>{1}); }), expected);
  EXPECT_EQ(trouble([&] { regressor.network(); }), expected);
  EXPECT_EQ(trouble([&] { regressor.save("nowhere"); }), expected);
  EXPECT_EQ(regressor.inputs(), 0U);
  EXPECT_EQ(regressor.options().hidden, std::vector<std::size_t>{20});
}

TEST(Regressor, OptionsAreChecked) {
  const auto complaint_of = [](auto&& change) {
    EstimatorOptions options = quick();
    change(options);
    return complaint([&] { Regressor regressor(options); });
  };
  EXPECT_EQ(complaint_of([](auto&) {}), "no complaint");
  EXPECT_EQ(complaint_of([](auto& o) { o.outputs = 0; }), "outputs = 0: must be at least 1");
  EXPECT_EQ(complaint_of([](auto& o) {
              o.hidden = {3, 0};
            }),
            "hidden = 0: must be at least 1, or 0 alone to choose them");
  EXPECT_EQ(complaint_of([](auto& o) { o.slope = 2; }),
            "slope = 2: must be a number of at least 0 and at most 1");
  EXPECT_EQ(complaint_of([](auto& o) { o.training.parallel_groups = 0; }),
            "parallel_groups = 0: must be at least 1 and at most 4096");
}

TEST(Regressor, RowsAreChecked) {
  Regressor regressor(quick());
  const auto complaint_of = [&](const std::vector<double>& x, const std::vector<double>& y) {
    const std::string fitting = complaint([&] { regressor.fit(x, y); });
    EXPECT_EQ(complaint([&] { regressor.partial_fit(x, y); }), fitting);
    EXPECT_EQ(regressor.inputs(), 0U) << "refused rows fix nothing";
    return fitting;
  };
  EXPECT_EQ(complaint_of({1}, {}), "targets = 0: must be a whole number of rows, at least one");
  EXPECT_EQ(complaint_of({}, {1}),
            "inputs = 0: must hold the same number of values for every row of targets");
  EXPECT_EQ(complaint_of({1, 2, 3}, {1, 2}),
            "inputs = 3: must hold the same number of values for every row of targets");
  // Also as the only value of its column, and with others that make sense.
  EXPECT_EQ(complaint_of({kInfinity}, {1}),
            "inputs = inf: must be finite, or NaN for a missing value");
  EXPECT_EQ(complaint_of({1, -kInfinity}, {1, 2}),
            "inputs = -inf: must be finite, or NaN for a missing value");
  EXPECT_EQ(complaint_of({1, 2}, {1, kInfinity}),
            "targets = inf: must be finite, or NaN for a missing value");

  regressor.partial_fit(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 2});
  EXPECT_EQ(complaint([&] {
              regressor.partial_fit(std::vector<double>{1, 2}, std::vector<double>{1, 2});
            }),
            "inputs = 2: must have as many columns as the rows learned before");
  EXPECT_EQ(complaint([&] {
              regressor.predict(std::vector<double>{1, 2, 3});
            }),
            "inputs = 3: must be a whole number of rows of the columns learned");
  EXPECT_NE(complaint([&] {
              regressor.predict(std::vector<double>{1, kInfinity});
            }),
            "no complaint");
  EXPECT_EQ(regressor.predict({}).mean.size(), 0U);
}

// The trainer refuses these options only when it sees the network.
TEST(Regressor, ARefusedFirstStreamLeavesNothingBehind) {
  EstimatorOptions options = quick();
  options.training.noise_variance = {1, 2};
  Regressor regressor(options);
  EXPECT_NE(complaint([&] {
              regressor.partial_fit(std::vector<double>{1, 2}, std::vector<double>{1, 2});
            }),
            "no complaint");
  EXPECT_EQ(trouble([&] { regressor.predict(std::vector<double>{1}); }),
            "this regressor has not learned anything yet: call fit() first");
}

// A constant column, one row, and columns that are missing altogether still give numbers.
TEST(Regressor, PoorDataGivesNumbers) {
  for (const auto& [x, y] :
       {std::pair<std::vector<double>, std::vector<double>>{{5, 5, 5}, {1, 1, 1}},
        {{1}, {2}},
        {{kMissing, kMissing}, {1, 2}},
        {{1, 2}, {kMissing, kMissing}}}) {
    Regressor regressor(quick());
    regressor.fit(x, y);
    const Forecast forecast = regressor.predict(x);
    for (std::size_t i = 0; i < forecast.mean.size(); ++i) {
      EXPECT_TRUE(std::isfinite(forecast.mean[i]));
      EXPECT_GT(forecast.variance[i], 0);
    }
  }
}

// Far from all data the noise's logarithm is anything: what is predicted must still be a number.
TEST_F(NoisySine, FarFromTheDataThereAreNumbersOrAComplaint) {
  Regressor regressor(quick());
  regressor.fit(training.x, training.y);
  const Forecast far = regressor.predict(std::vector<double>{1e6, -1e11});
  for (std::size_t i = 0; i < far.mean.size(); ++i) {
    EXPECT_TRUE(std::isfinite(far.mean[i]));
    EXPECT_TRUE(std::isfinite(far.variance[i]) && far.variance[i] > 0);
  }
  // Noise beyond what the data could have taught would drown what the weights say.
  const double usual = regressor.noise_variance().front() * regressor.target_scales().front().std *
                       regressor.target_scales().front().std;
  for (const double noise : far.noise_variance) EXPECT_LT(noise, 5000 * usual);
  for (const double bound :
       regressor.quantiles(std::vector<double>{-1e11}, std::vector<double>{0.01, 0.99}))
    EXPECT_TRUE(std::isfinite(bound));
  EXPECT_NE(complaint([&] {
              regressor.predict(std::vector<double>{1e30});
            }).find("inputs = 1e+30: must lie within 1e12 standard deviations"),
            std::string::npos);
  EXPECT_EQ(complaint([&] { regressor.fit(std::vector<double>{1}, std::vector<double>{1e200}); }),
            "targets = 1e+200: must be at most 1e120 in size");
}

}  // namespace
}  // namespace postrider
