// That what a caller passes to a Trainer reaches the place where it counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "files.h"
#include "postrider/network/trainer.h"
#include "train/problem.h"

namespace postrider::network {
using namespace internal;
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

// Each of two outputs has its own noise, and both of a row have the row's weight.
TEST(TrainerWiring, ScoresOfSeveralOutputs) {
  const std::vector<double> y{0.5, 3, -2, 0.1, 1, kMissing}, weights{1, 3, 0.5}, noise{0.7, 2};
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::isnan(y[i])) continue;
    sum += weights[i / 2] * log_gaussian(y[i], noise[i % 2]);
    count += weights[i / 2];
  }
  const TrainerOptions options{.max_epochs = 1, .noise_variance = noise, .learn_noise = false};
  EXPECT_NEAR(fit_silent(y, weights, options, 2).epochs.front().score, sum / count, kRounding);
  Network network = silent_network(2);
  Trainer trainer(network, options);
  const StreamReport report = trainer.partial_fit({std::vector<double>(3)}, y, weights);
  EXPECT_NEAR(report.score, sum / count, kRounding);
  EXPECT_EQ(report.noise_variance, noise);
  EXPECT_EQ(report.rows, 3U);
  EXPECT_EQ(trainer.seen(), 3U);
}

TEST(TrainerWiring, AScoreAfterTrainingCountsRowsByTheirWeights) {
  const std::vector<double> y{0.5, -2}, weights{1, 3};
  const FitReport report = fit_silent(y, weights,
                                      {.max_epochs = 1,
                                       .stopping = TrainerOptions::Stopping::paper,
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
  // The second output misses one value.
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

// Messages raised to almost nothing teach nothing: each row is predicted by the priors. Of two rows the first
// has the class that these expect most, the second the one that they expect least: less noise would predict
// the one better and more noise the other.
struct TwoClassRows {
  static constexpr std::size_t kClasses = 3;
  static constexpr double kNothing = 1e-12, kNoise = 0.4, kStep = 1e-3;

  TwoClassRows() : network(small_network(Precision::float64, {5}, kClasses)) {
    const std::vector<double> all = probabilities(kNoise);
    problem.y[0] =
        static_cast<double>(std::max_element(all.begin(), all.begin() + 3) - all.begin());
    problem.y[1] =
        static_cast<double>(std::min_element(all.begin() + 3, all.end()) - all.begin() - 3);
  }

  std::vector<double> probabilities(double noise) const {
    return class_probabilities(network.predict(problem.rows()), kClasses, noise);
  }
  double log_probability(std::size_t row, double noise) const {
    return std::log(
        probabilities(noise)[row * kClasses + static_cast<std::size_t>(problem.y[row])]);
  }
  // By the logarithm of the noise.
  double slope(std::size_t row) const {
    return (log_probability(row, kNoise * std::exp(kStep)) -
            log_probability(row, kNoise * std::exp(-kStep))) /
           (2 * kStep);
  }

  Problem problem = bent_plane(2);
  Network network;
};

TEST(TrainerWiring, ClassesCountByTheWeightsOfTheirRows) {
  constexpr double kClose = 1e-7;
  TwoClassRows rows;
  const double first = rows.slope(0), second = rows.slope(1);
  ASSERT_LT(first, 0);
  ASSERT_GT(second, 0);
  // So that the slopes nearly cancel: the step is then less than the most that it may be.
  const std::vector<double> weights{1.1 * second / 0.1, -first / 0.1};
  const double sum = weights[0] * first + weights[1] * second;
  const double squares = weights[0] * first * first + weights[1] * second * second;
  ASSERT_LT(std::abs(sum / squares), std::numbers::ln2);
  const double score = (weights[0] * rows.log_probability(0, TwoClassRows::kNoise) +
                        weights[1] * rows.log_probability(1, TwoClassRows::kNoise)) /
                       (weights[0] + weights[1]);
  Trainer trainer(rows.network, {.max_epochs = 1, .noise_variance = {TwoClassRows::kNoise}},
                  {.likelihood = Likelihood::classes, .power = TwoClassRows::kNothing});
  const FitReport report = trainer.fit(rows.problem.rows(), rows.problem.y, weights);
  EXPECT_NEAR(report.epochs.front().score, score, kClose);
  // One step of Fisher's scoring.
  EXPECT_NEAR(std::log(report.epochs.front().noise_variance.at(0) / TwoClassRows::kNoise),
              sum / squares, 10 * TwoClassRows::kStep * TwoClassRows::kStep);
}

// A row whose target is missing leaves all units of the hidden layer without an answer.
TEST(TrainerWiring, EventsOfAnEpochAreReported) {
  constexpr std::size_t kHidden = 12;
  Problem problem = bent_plane(200);
  Network network(small_network(Precision::float64, {kHidden}));
  Trainer trainer(
      network,
      {.max_epochs = 2, .stopping = TrainerOptions::Stopping::epochs, .parallel_groups = 2});
  const FitReport whole = trainer.fit(problem.rows(), problem.y);
  EXPECT_GT(whole.epochs.front().linearised, 0U);
  EXPECT_EQ(whole.epochs.back().silent, 0U);
  problem.y[3] = problem.y[77] = kMissing;
  const FitReport report = trainer.fit(problem.rows(), problem.y);
  for (const EpochReport& epoch : report.epochs) EXPECT_EQ(epoch.silent, 2 * kHidden);
}

TEST(TrainerWiring, WhatMakesNoNumbersIsNotLearned) {
  const Problem problem = bent_plane(30);
  Network network(small_network(Precision::float32));
  Trainer trainer(network);
  EXPECT_TRUE(trainer.partial_fit(problem.rows(), problem.y).sound);
  const std::vector<Gaussian> before = beliefs_of(network);
  const std::vector<double> noise = trainer.noise_variance();
  const StreamReport report =
      trainer.partial_fit({std::vector<double>{1, 1}}, std::vector<double>{3e38});
  EXPECT_FALSE(report.sound);
  EXPECT_EQ(beliefs_of(network), before);
  EXPECT_EQ(trainer.noise_variance(), noise);
}

TEST(TrainerWiring, ACheckpointOfOtherWeightsIsRefused) {
  const TemporaryFolder folder;
  const Problem problem = bent_plane(3);
  const auto resumed = [&](const std::vector<double>& weights, bool resume) {
    Network network(small_network(Precision::float64));
    Trainer trainer(network, {.max_epochs = 2, .checkpoint = folder.file("c"), .resume = resume});
    return trouble([&] { trainer.fit(problem.rows(), problem.y, weights); });
  };
  EXPECT_EQ(resumed({1, 2, 3}, false), "no trouble");
  EXPECT_EQ(resumed({1, 2, 3}, true), "no trouble");
  EXPECT_NE(resumed({1, 2, 4}, true), "no trouble");
  EXPECT_NE(resumed({}, true), "no trouble");
}

// The beliefs in the weights that the logarithm of the noise is made of, and their priors: the last ones.
struct NoiseWeights {
  std::vector<Gaussian> beliefs, priors;
};

NoiseWeights noise_weights_after(std::size_t epochs, std::size_t constant_noise_epochs) {
  constexpr std::size_t kHidden = 4;
  const Problem problem = bent_plane(60);
  Network network(small_network(Precision::float64, {kHidden}, /*outputs=*/2));
  Trainer trainer(network,
                  {.max_epochs = epochs,
                   .stopping = TrainerOptions::Stopping::epochs,
                   .constant_noise_epochs = constant_noise_epochs},
                  {.likelihood = Likelihood::varying_noise});
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
                            .stopping = TrainerOptions::Stopping::epochs,
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
}  // namespace postrider::network
