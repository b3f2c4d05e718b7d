// Shapes that a mean and a noise variance cannot say, and what becomes of a model that has learned one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "base/random.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

struct Rows {
  std::vector<double> x, y;
};

constexpr double kApart = 1.5, kNoise = 0.2;

// Two lines, far from each other where x is above 0, and one elsewhere: y = x/2 +- 1.5 for x > 0.
Rows two_lines(std::size_t count, std::uint64_t seed) {
  Rows out;
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(-2, 2), side = random.uniform() < 0.5 ? -1 : 1;
    out.x.push_back(x);
    out.y.push_back(0.5 * x + (x > 0 ? side * kApart : 0) + kNoise * random.normal());
  }
  return out;
}

EstimatorOptions options_of(bool learned_shape) {
  EstimatorOptions out;
  out.hidden = {20};
  out.ensemble_size = 8;  // each leaves out an eighth: all rows judge
  out.encoding = Encoding::standard;
  out.target_scale = EstimatorOptions::TargetScale::plain;
  out.learned_shape = learned_shape;
  out.training.max_epochs = 15;
  return out;
}

class LearnedShapes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Rows training = two_lines(2200, 1);
    shaped_ = new Regressor(options_of(true));
    plain_ = new Regressor(options_of(false));
    shaped_->fit(training.x, training.y);
    plain_->fit(training.x, training.y);
  }
  static void TearDownTestSuite() {
    delete shaped_;
    delete plain_;
  }

  static inline Regressor *shaped_ = nullptr, *plain_ = nullptr;
  const Rows held_out = two_lines(1500, 2);
  const std::vector<double> some{-1.5, -0.2, 0.4, 1.0, 1.7};
};

// A Gaussian about each half of x > 0 has the standard deviation sqrt(1.5^2 + 0.2^2) in place of two of 0.2.
TEST_F(LearnedShapes, PredictNewRowsBetter) {
  const double shaped = shaped_->log_likelihood(held_out.x, held_out.y);
  const double plain = plain_->log_likelihood(held_out.x, held_out.y);
  EXPECT_GT(shaped, plain + 0.25);
  ASSERT_TRUE(shaped_->out_of_fold_score());
  EXPECT_NEAR(shaped_->out_of_fold_score()->log_likelihood, shaped, 0.06);
}

TEST_F(LearnedShapes, IntervalsHoldTheirShare) {
  for (const double level : {0.5, 0.9}) {
    const std::vector<double> found = shaped_->intervals(held_out.x, level);
    double held = 0;
    for (std::size_t i = 0; i < held_out.y.size(); ++i)
      if (found[2 * i] <= held_out.y[i] && held_out.y[i] <= found[2 * i + 1]) ++held;
    // Three and a half standard deviations of chance in the rows that judge and in those that are new, at a level of a half.
    EXPECT_NEAR(held / static_cast<double>(held_out.y.size()), level, 0.06);
  }
}

TEST_F(LearnedShapes, DensitiesIntegrateToOneAndGiveTheMoments) {
  const Distributions at = shaped_->distributions(some);
  const Forecast forecast = at.moments();
  constexpr double kStep = 0.004;
  for (std::size_t i = 0; i < some.size(); ++i) {
    double mass = 0, mean = 0, square = 0;
    for (double y = -8; y < 8; y += kStep) {
      const double density =
          std::exp(at.log_densities(std::vector<double>(some.size(), y))[i]) * kStep;
      mass += density;
      mean += y * density;
      square += y * y * density;
    }
    EXPECT_NEAR(mass, 1, 1e-3);
    EXPECT_NEAR(forecast.mean[i], mean / mass, 1e-3);
    EXPECT_NEAR(forecast.variance[i], square / mass - mean * mean, 2e-3);
    EXPECT_LE(forecast.noise_variance[i], forecast.variance[i]);
  }
}

TEST_F(LearnedShapes, QuantilesUndoProbabilities) {
  const Distributions at = shaped_->distributions(some);
  for (const double p : {0.02, 0.3, 0.5, 0.77, 0.99}) {
    const std::vector<double> below = at.below(at.quantiles(std::vector<double>{p}));
    for (const double each : below) EXPECT_NEAR(each, p, 1e-8);
  }
}

// The largest difference of two distribution functions, of 4,000 draws: 1.95/sqrt(n) is exceeded by chance once in a thousand times.
TEST_F(LearnedShapes, DrawsFollowTheDistribution) {
  constexpr std::size_t kDraws = 4000;
  std::vector<double> drawn = shaped_->samples(std::vector<double>{1.0}, kDraws, 7);
  std::ranges::sort(drawn);
  const Distributions at = shaped_->distributions(std::vector<double>(kDraws, 1.0));
  const std::vector<double> below = at.below(drawn);
  double farthest = 0;
  for (std::size_t i = 0; i < kDraws; ++i)
    farthest = std::max(farthest, std::abs(below[i] - (static_cast<double>(i) + 0.5) / kDraws));
  EXPECT_LT(farthest, 1.95 / std::sqrt(static_cast<double>(kDraws)));
}

TEST_F(LearnedShapes, AFileBringsThemBack) {
  std::stringstream file;
  shaped_->save(file);
  const Regressor again = Regressor::load(file);
  EXPECT_EQ(again.log_likelihood(held_out.x, held_out.y),
            shaped_->log_likelihood(held_out.x, held_out.y));
  EXPECT_TRUE(again.options().learned_shape);
}

// A tenth of the rows more, and no row beyond.
TEST_F(LearnedShapes, AStreamKeepsItForAWhile) {
  std::stringstream file;
  shaped_->save(file);
  Regressor streaming = Regressor::load(file);
  const Rows more = two_lines(220, 5), last = two_lines(1, 6);
  streaming.partial_fit(more.x, more.y);
  EXPECT_GT(streaming.log_likelihood(held_out.x, held_out.y),
            plain_->log_likelihood(held_out.x, held_out.y) + 0.2);
  const std::vector<double> found = streaming.intervals(held_out.x, 0.9);
  double held = 0;
  for (std::size_t i = 0; i < held_out.y.size(); ++i)
    if (found[2 * i] <= held_out.y[i] && held_out.y[i] <= found[2 * i + 1]) ++held;
  EXPECT_NEAR(held / static_cast<double>(held_out.y.size()), 0.9, 0.06);
  streaming.partial_fit(last.x, last.y);
  EXPECT_NEAR(streaming.log_likelihood(held_out.x, held_out.y),
              plain_->log_likelihood(held_out.x, held_out.y), 0.05);
}

TEST(LearnedShape, ThreadsDoNotMatter) {
  const Rows training = two_lines(2050, 3), test = two_lines(50, 4);
  std::vector<double> found;
  for (const unsigned threads : {1U, 3U}) {
    EstimatorOptions options = options_of(true);
    options.training.max_epochs = 6;
    options.training.threads = threads;
    Regressor model(options);
    model.fit(training.x, training.y);
    found.push_back(model.log_likelihood(test.x, test.y));
  }
  EXPECT_EQ(found[0], found[1]);
}

// Where networks are right there is nothing to learn: the model is the one without.
TEST(LearnedShape, IsNotFoundInGaussianNoise) {
  Rows rows;
  RandomStream random(9, 0);
  for (int i = 0; i < 2200; ++i) {
    rows.x.push_back(random.uniform(-2, 2));
    rows.y.push_back(rows.x.back() + random.normal());
  }
  Regressor with(options_of(true)), without(options_of(false));
  with.fit(rows.x, rows.y);
  without.fit(rows.x, rows.y);
  EXPECT_EQ(with.log_likelihood(rows.x, rows.y), without.log_likelihood(rows.x, rows.y));
}

}  // namespace
}  // namespace postrider
