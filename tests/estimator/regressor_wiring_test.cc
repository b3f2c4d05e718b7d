// That what a caller passes to a Regressor reaches the place where it counts.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "estimator/sine.h"
#include "postrider/regressor.h"

namespace postrider {
namespace {

constexpr double kRounding = 1e-12;

RegressorOptions small(std::size_t outputs = 1) {
  RegressorOptions out;
  out.hidden = {4};
  out.members = 1;
  out.outputs = outputs;
  out.training.max_epochs = 1;
  return out;
}

// A layer of h units between one input and one output has 3 h + 1 weights: at most one for each row.
TEST(RegressorWiring, TheWidthFollowsTheWeightsOfTheRows) {
  const Sine sine = noisy_sine(100, 1);
  const auto width = [&](double weight) {
    RegressorOptions options = small();
    options.hidden = {50};
    options.varying_noise = false;
    Regressor regressor(options);
    regressor.fit(sine.x, sine.y, std::vector<double>(100, weight));
    return regressor.network().options().layers.front().units;
  };
  EXPECT_EQ(width(1), 33U);
  EXPECT_EQ(width(0.25), 8U);
  EXPECT_EQ(width(2), 50U);
}

// 1000 rows are learned by 4 networks, and rows that count twice by half as many.
TEST(RegressorWiring, TheSizeOfTheEnsembleFollowsTheWeightsOfTheRows) {
  const Sine sine = noisy_sine(1000, 1);
  for (const double weight : {1.0, 2.0}) {
    RegressorOptions options = small();
    options.members = 0;
    Regressor regressor(options);
    regressor.fit(sine.x, sine.y, std::vector<double>(1000, weight));
    EXPECT_EQ(regressor.members(), weight == 1 ? 4U : 2U);
  }
}

// 1 + weights/rows, of rows as they count.
TEST(RegressorWiring, ThePowerFollowsTheWeightsOfTheRows) {
  const Sine sine = noisy_sine(200, 1);
  const std::vector<double> weights(200, 0.5);
  RegressorOptions options = small();
  options.varying_noise = false;
  Regressor chosen(options);
  chosen.fit(sine.x, sine.y, weights);
  ASSERT_EQ(chosen.network().weight_count(), 13U);
  options.power = 1 + 13.0 / 100;
  Regressor asked(options);
  asked.fit(sine.x, sine.y, weights);
  EXPECT_EQ(chosen.predict(sine.x).mean, asked.predict(sine.x).mean);
}

// Rows are predicted 4096 at a time, in several outputs: no row's place may depend on that.
class ManyRows : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 4096 + 3, kOutputs = 2;

  ManyRows() : regressor(small(kOutputs)) {
    RandomStream random(4, 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      x.push_back(random.normal());
      y.insert(y.end(), {x.back() + random.normal(), 3 - 2 * x.back() + random.normal()});
    }
    regressor.fit(std::span(x).first(100), std::span(y).first(100 * kOutputs));
  }

  // Of the last rows alone.
  std::span<const double> last_inputs() const { return std::span(x).subspan(kRows - kLast); }
  std::vector<double> last_of(const std::vector<double>& all, std::size_t per_row) const {
    return {all.end() - static_cast<std::ptrdiff_t>(kLast * per_row), all.end()};
  }

  static constexpr std::size_t kLast = 5;
  std::vector<double> x, y;
  Regressor regressor;
};

TEST_F(ManyRows, SamplesAreThoseOfTheRowsNumbers) {
  constexpr std::size_t kCount = 2;
  const std::vector<double> all = regressor.samples(x, kCount, 7);
  ASSERT_EQ(all.size(), kRows * kOutputs * kCount);
  EXPECT_EQ(all, regressor.distributions(x).samples(kCount, 7));
  EXPECT_EQ(last_of(all, kOutputs * kCount),
            regressor.samples(last_inputs(), kCount, 7, kRows - kLast));
  EXPECT_NE(last_of(all, kOutputs * kCount), regressor.samples(last_inputs(), kCount, 7));
  EXPECT_NE(all, regressor.samples(x, kCount, 8));
}

TEST_F(ManyRows, MomentsAndQuantilesAreThoseOfTheRowsAlone) {
  const std::vector<double> probabilities{0.1, 0.5, 0.7};
  EXPECT_EQ(last_of(regressor.predict(x).mean, kOutputs), regressor.predict(last_inputs()).mean);
  EXPECT_EQ(last_of(regressor.predict(x).noise_variance, kOutputs),
            regressor.predict(last_inputs()).noise_variance);
  EXPECT_EQ(last_of(regressor.quantiles(x, probabilities), kOutputs * probabilities.size()),
            regressor.quantiles(last_inputs(), probabilities));
}

TEST_F(ManyRows, TheLogLikelihoodTakesEachTargetWithItsOwnRow) {
  const std::vector<double> each = regressor.distributions(x).log_densities(y);
  double sum = 0;
  for (const double log_density : each) sum += log_density;
  const double expected = sum / static_cast<double>(each.size());
  EXPECT_NEAR(regressor.log_likelihood(x, y), expected, kRounding * std::abs(expected) * kRows);
}

}  // namespace
}  // namespace postrider
