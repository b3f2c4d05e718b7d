// That what a caller passes to a Trainer reaches the place where it counts.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "postrider/trainer.h"
#include "train/problem.h"

namespace postrider {
namespace {

constexpr double kRounding = 1e-12;
constexpr double kSearch = 2e-6;  // of the noise, which is looked for by halving
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// One layer without a bias, whose only input is zero: it predicts N(0, 0) whatever it has learned, so that
// scores and noise are functions of the targets and their weights alone.
Network silent_network(std::size_t outputs) {
  NetworkOptions out = NetworkOptions::dense(1, {}, outputs);
  out.layers.back().bias = false;
  out.precision = Precision::float64;
  return Network(out);
}

FitReport fit_silent(const std::vector<double>& targets, const std::vector<double>& weights,
                     const TrainerOptions& options, std::size_t outputs = 1) {
  Network network = silent_network(outputs);
  const std::vector<double> inputs(targets.size() / outputs, 0.0);
  return Trainer(network, options).fit({inputs}, targets, weights);
}

double log_gaussian(double y, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + y * y / variance);
}

TEST(TrainerWiring, AScoreCountsRowsByTheirWeights) {
  const std::vector<double> y{0.5, -2, 1}, weights{1, 3, 0.5};
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    sum += weights[i] * log_gaussian(y[i], 0.7);
    count += weights[i];
  }
  const FitReport report =
      fit_silent(y, weights, {.max_epochs = 1, .noise_variance = {0.7}, .learn_noise = false});
  EXPECT_NEAR(report.epochs.front().score, sum / count, kRounding);
}

TEST(TrainerWiring, AScoreAfterTrainingCountsRowsByTheirWeights) {
  const std::vector<double> y{0.5, -2}, weights{1, 3};
  const FitReport report = fit_silent(y, weights,
                                      {.max_epochs = 1,
                                       .stopping = Stopping::paper,
                                       .noise_variance = {0.7},
                                       .learn_noise = false});
  EXPECT_NEAR(report.epochs.front().training_score,
              (log_gaussian(0.5, 0.7) + 3 * log_gaussian(-2, 0.7)) / 4, kRounding);
}

// Without variances the most likely noise is the weighted mean square, and an epoch goes half of the way
// there in the logarithm.
TEST(TrainerWiring, NoiseCountsRowsByTheirWeights) {
  const std::vector<double> y{1, -1, 0.2, -0.2}, weights{3, 3, 1, 1};
  const FitReport report = fit_silent(y, weights, {.max_epochs = 1, .noise_variance = {0.5}});
  const double mean_square = (6 * 1 + 2 * 0.04) / 8;
  EXPECT_NEAR(report.epochs.front().noise_variance.at(0) / std::sqrt(0.5 * mean_square), 1,
              kSearch);
}

TEST(TrainerWiring, EveryOutputLearnsItsOwnNoise) {
  // Of the second output one value is missing.
  const std::vector<double> y{1, 0.4, -1, kMissing, 1, -0.4, -1, 0.4};
  const FitReport report =
      fit_silent(y, {}, {.max_epochs = 1, .noise_variance = {0.5, 0.3}}, /*outputs=*/2);
  const std::vector<double>& noise = report.epochs.front().noise_variance;
  ASSERT_EQ(noise.size(), 2U);
  EXPECT_NEAR(noise[0] / std::sqrt(0.5 * 1), 1, kSearch);
  EXPECT_NEAR(noise[1] / std::sqrt(0.3 * 0.16), 1, kSearch);
}

TEST(TrainerWiring, NoiseThatIsGivenStaysUnlessItIsLearned) {
  const std::vector<double> y{1, -1};
  const FitReport report =
      fit_silent(y, {}, {.max_epochs = 3, .noise_variance = {0.5}, .learn_noise = false});
  EXPECT_EQ(report.epochs.back().noise_variance, std::vector<double>{0.5});
}

// The beliefs in the weights that the logarithm of the noise is made of, and their priors: the last ones.
struct NoiseWeights {
  std::vector<Gaussian> beliefs, priors;
};

NoiseWeights noise_weights_after(std::size_t epochs, std::size_t constant_noise_epochs) {
  constexpr std::size_t kHidden = 4;
  const Problem problem = bent_plane(60);
  Network network(small_network(Precision::float64, {kHidden}, /*outputs=*/2));
  Trainer trainer(network, {.max_epochs = epochs,
                            .stopping = Stopping::epochs,
                            .likelihood = Likelihood::varying_noise,
                            .constant_noise_epochs = constant_noise_epochs});
  trainer.fit(problem.rows(), problem.y);
  NoiseWeights out;
  for (std::size_t k = network.weight_count() - (kHidden + 1); k < network.weight_count(); ++k) {
    out.beliefs.push_back(network.weight(k));
    out.priors.push_back(network.prior(k));
  }
  return out;
}

TEST(TrainerWiring, NoiseVariesOnlyAfterTheConstantEpochs) {
  const NoiseWeights constant = noise_weights_after(3, 3), after = noise_weights_after(4, 3);
  EXPECT_EQ(constant.beliefs, constant.priors);
  for (std::size_t k = 0; k < after.beliefs.size(); ++k)
    EXPECT_GT(after.beliefs[k].rho(), after.priors[k].rho());
  const NoiseWeights at_once = noise_weights_after(1, 0);
  EXPECT_NE(at_once.beliefs, at_once.priors);
}

std::vector<Gaussian> streamed(const Problem& first, const Problem& second, std::size_t block) {
  Network network(small_network(Precision::float64));
  Trainer trainer(network, {.noise_variance = {0.1}, .learn_noise = false, .block = block});
  trainer.partial_fit(first.rows(), first.y);
  if (!second.y.empty()) trainer.partial_fit(second.rows(), second.y);
  return beliefs_of(network);
}

// Each of the first examples moves the beliefs far: they are swept one by one, whatever was asked for.
TEST(TrainerWiring, AStreamBeginsWithoutBlocks) {
  const Problem few = bent_plane(20), many = bent_plane(400), none;
  EXPECT_EQ(streamed(few, none, 8), streamed(few, none, 1));
  EXPECT_NE(streamed(many, few, 8), streamed(many, few, 1));
}

std::vector<Gaussian> trained_in_blocks(const Problem& problem, std::size_t block) {
  Network network(small_network(Precision::float64));
  Trainer trainer(network, {.max_epochs = 1,
                            .stopping = Stopping::epochs,
                            .group_size = 8,
                            .learn_noise = false,
                            .block = block});
  trainer.fit(problem.rows(), problem.y);
  return beliefs_of(network);
}

TEST(TrainerWiring, TheFirstEpochBeginsWithoutBlocks) {
  const Problem few = bent_plane(24), many = bent_plane(400);
  EXPECT_EQ(trained_in_blocks(few, 8), trained_in_blocks(few, 1));
  EXPECT_NE(trained_in_blocks(many, 8), trained_in_blocks(many, 1));
}

}  // namespace
}  // namespace postrider
