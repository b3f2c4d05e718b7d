#include "train/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "train/problem.h"
#include "train/training_lane.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// What a stream of these rows leaves, when it is cut after every `rows` of them.
struct Learned {
  std::vector<Gaussian> beliefs;
  std::vector<double> noise;
  double score = 0;
};

Learned learn(const Problem& problem, std::size_t rows, Likelihood likelihood,
              const std::vector<double>& weights = {}) {
  const std::size_t outputs = likelihood == Likelihood::varying_noise ? 2 : 1;
  Network network(small_network(Precision::float32, {10}, outputs));
  Trainer trainer(network, {}, {likelihood});
  const std::span<const double> x(problem.x), y(problem.y), w(weights);
  Learned out;
  for (std::size_t i = 0; i < problem.size(); i += rows) {
    const std::size_t count = std::min(rows, problem.size() - i);
    const StreamReport report = trainer.partial_fit(
        {x.subspan(2 * i, 2 * count)}, y.subspan(i, count), w.empty() ? w : w.subspan(i, count));
    EXPECT_TRUE(report.sound);
    EXPECT_EQ(report.rows, count);
    EXPECT_EQ(report.noise_variance, trainer.noise_variance());
    out.score += report.score * static_cast<double>(count) / static_cast<double>(problem.size());
  }
  EXPECT_EQ(trainer.seen(), problem.size());
  out.beliefs = beliefs_of(network);
  out.noise = trainer.noise_variance();
  return out;
}

Problem with_classes(Problem problem) {
  for (double& y : problem.y) y = y > 0 ? 1 : 0;
  return problem;
}

TEST(Stream, HoweverItIsCutTheResultIsTheSame) {
  constexpr double kRounding = 1e-9;  // of the mean of scores
  for (const Likelihood likelihood :
       {Likelihood::gaussian, Likelihood::varying_noise, Likelihood::classes}) {
    const Problem problem =
        likelihood == Likelihood::classes ? with_classes(bent_plane(300)) : bent_plane(300);
    const Learned whole = learn(problem, 300, likelihood);
    for (const std::size_t rows : {1U, 7U, 100U}) {
      const Learned cut = learn(problem, rows, likelihood);
      EXPECT_EQ(cut.beliefs, whole.beliefs) << rows << " rows at a time";
      EXPECT_EQ(cut.noise, whole.noise) << rows << " rows at a time";
      EXPECT_NEAR(cut.score, whole.score, kRounding);
    }
  }
}

// One row whose prediction is known: the noise takes one step of Fisher's scoring, in which what was
// seen counts, between 20 and 200 rows, with half a unit of information each.
TEST(Stream, TheNoiseTakesAStepPerRow) {
  constexpr double kNoise = 0.3, kClose = 1e-12;
  const std::vector<double> x{0.4, -0.2}, y{1.5};
  for (const auto& [seen, known] : {std::pair{0.0, 20.0}, {70.0, 70.0}, {5000.0, 200.0}})
    for (const double weight : {1.0, 2.5}) {
      Network network(small_network(Precision::float64, {}));
      const Network::OutputMoments before = network.predict({x});
      Trainer trainer(network, {.noise_variance = {kNoise}});
      trainer.set_seen(static_cast<std::size_t>(seen));
      trainer.partial_fit({x}, y, std::vector{weight});
      const double total = before.variance[0] + kNoise, gap = y[0] - before.mean[0];
      const double slope = 0.5 * kNoise / total * (gap * gap / total - 1);
      const double step = weight * slope / (0.5 * known + weight * slope * slope);
      EXPECT_NEAR(trainer.noise_variance()[0], kNoise * std::exp(step), kClose);
    }
}

TEST(Stream, ANoiseThatIsKnownStays) {
  const Problem problem = bent_plane(50);
  Network network(small_network(Precision::float64));
  Trainer trainer(network, {.noise_variance = {0.3}, .learn_noise = false});
  EXPECT_EQ(trainer.partial_fit(problem.rows(), problem.y).noise_variance, std::vector{0.3});
}

TEST(Stream, RowsWithoutATargetTeachNothing) {
  Problem problem = bent_plane(20);
  for (double& y : problem.y) y = kMissing;
  Network network(small_network(Precision::float64));
  const std::vector<Gaussian> before = beliefs_of(network);
  Trainer trainer(network);
  const StreamReport report = trainer.partial_fit(problem.rows(), problem.y);
  EXPECT_EQ(report.score, 0);
  EXPECT_EQ(beliefs_of(network), before);
  EXPECT_EQ(report.noise_variance, std::vector{0.5});
}

// Targets of a size that floats cannot square: the beliefs would be no numbers.
TEST(Stream, UnsoundBeliefsAreNotKept) {
  const Problem problem = bent_plane(30);
  Network network(small_network(Precision::float32));
  Trainer trainer(network);
  trainer.partial_fit(problem.rows(), problem.y);
  const std::vector<Gaussian> before = beliefs_of(network);
  const std::vector<double> noise = trainer.noise_variance();
  const std::vector<double> x(20, 1e30), y(10, 1e37);
  const StreamReport report = trainer.partial_fit({x}, y);
  EXPECT_FALSE(report.sound);
  EXPECT_EQ(beliefs_of(network), before);
  EXPECT_EQ(trainer.noise_variance(), noise);
  EXPECT_EQ(trainer.seen(), 30U);
  EXPECT_TRUE(trainer.partial_fit(problem.rows(), problem.y).sound) << "and it goes on";
}

TEST(Stream, ACallCanBeUndone) {
  const Problem problem = bent_plane(60);
  Network network(small_network(Precision::float32));
  Trainer trainer(network);
  trainer.partial_fit(problem.rows(), problem.y);
  const std::vector<Gaussian> before = beliefs_of(network);
  const std::vector<double> noise = trainer.noise_variance();
  trainer.partial_fit(problem.rows(), problem.y);
  EXPECT_NE(trainer.noise_variance(), noise);
  inside_of(trainer).undo_partial_fit();
  EXPECT_EQ(beliefs_of(network), before);
  EXPECT_EQ(trainer.noise_variance(), noise);
  EXPECT_EQ(trainer.seen(), 60U);
  // And goes on as if it had not been.
  const double score = trainer.partial_fit(problem.rows(), problem.y).score;
  inside_of(trainer).undo_partial_fit();
  EXPECT_EQ(trainer.partial_fit(problem.rows(), problem.y).score, score);
}

// Rows of a block are predicted by the beliefs from before it, and noise and score are of these predictions.
TEST(Stream, RowsAreJudgedAHorizonAhead) {
  constexpr std::size_t kHorizon = 4;
  constexpr double kClose = 1e-12;
  const Problem problem = bent_plane(10);
  Network network(small_network(Precision::float64, {}));
  Trainer trainer(network, {.noise_variance = {0.3}, .horizon = kHorizon});
  // The same blocks, a call each, in another network that is asked for its predictions.
  Network other(small_network(Precision::float64, {}));
  Trainer in_blocks(other, {.noise_variance = {0.3}, .horizon = kHorizon});
  const std::span<const double> x(problem.x), y(problem.y);
  double score = 0, noise = 0.3;
  for (std::size_t first = 0; first < problem.size(); first += kHorizon) {
    const std::size_t count = std::min(kHorizon, problem.size() - first);
    const Inputs rows{x.subspan(2 * first, 2 * count)};
    const Network::OutputMoments ahead = other.predict(rows);
    for (std::size_t k = 0; k < count; ++k) {
      const double total = ahead.variance[k] + noise, gap = y[first + k] - ahead.mean[k];
      score -= 0.5 * (std::log(2 * M_PI * total) + gap * gap / total) / 10;
      const double slope = 0.5 * noise / total * (gap * gap / total - 1);
      noise *= std::exp(slope / (0.5 * 20 + slope * slope));
    }
    in_blocks.partial_fit(rows, y.subspan(first, count));
    EXPECT_NEAR(in_blocks.noise_variance()[0], noise, kClose);
  }
  const StreamReport report = trainer.partial_fit(problem.rows(), problem.y);
  EXPECT_NEAR(report.score, score, kClose);
  EXPECT_NEAR(trainer.noise_variance()[0], noise, kClose);
  EXPECT_EQ(beliefs_of(network), beliefs_of(other));
}

// Without a target nothing is learned, and all that happens is drift: also to weights of inputs that are zero.
TEST(Stream, BeliefsDriftToThePrior) {
  constexpr double kForgetting = 0.01, kWalk = 0.05, kClose = 1e-12;
  for (const std::size_t active : {0u, 1u}) {
    NetworkOptions options = NetworkOptions::dense(20, {32});
    options.precision = Precision::float64;
    options.active_inputs = active;
    Network network(options);
    Trainer trainer(network, {}, {Likelihood::gaussian, 1, {kForgetting, kWalk}});
    std::vector<double> x(20 * 20), y(20);
    for (std::size_t row = 0; row < 20; ++row) {
      x[row * 20 + row % 3] = 1;
      y[row] = row % 3 == 0 ? 1 : -1;
    }
    trainer.partial_fit({x}, y);
    const std::vector<Gaussian> before = beliefs_of(network);
    std::ranges::fill(y, kMissing);
    trainer.partial_fit({x}, y);
    EXPECT_EQ(trainer.seen(), 40U);
    // One of rows 20 to 39 is the 32nd.
    const double kept = std::pow(1 - kForgetting, 16);
    for (std::size_t i = 0; i + 1 < before.size(); ++i) {
      const Gaussian prior = network.prior(i);
      EXPECT_NEAR(network.weight(i).rho(), kept * before[i].rho() + (1 - kept) * prior.rho(),
                  kClose * before[i].rho());
      EXPECT_NEAR(network.weight(i).tau(), kept * before[i].tau() + (1 - kept) * prior.tau(),
                  kClose * before[i].rho());
    }
    Gaussian bias = before.back();
    for (std::size_t seen = 21; seen <= 40; ++seen) {
      const Gaussian prior = network.prior(before.size() - 1);
      if (seen == 32)
        bias = Gaussian::from_natural(kept * bias.tau() + (1 - kept) * prior.tau(),
                                      kept * bias.rho() + (1 - kept) * prior.rho());
      bias = Gaussian::from_moments(bias.mean(), bias.variance() + kWalk);
    }
    EXPECT_TRUE(equal_within(network.weight(before.size() - 1), bias, {kClose}));
  }
}

TEST(Stream, RatesThatCannotBeAreRefused) {
  Network network(small_network(Precision::float64));
  for (const StreamReport::DriftRate& rate :
       {StreamReport::DriftRate{-0.1, 0}, {1, 0}, {kMissing, 0}, {0, -1}, {0, 1e7}})
    EXPECT_THROW(Trainer(network, {}, {Likelihood::gaussian, 1, rate}), InvalidArgument);
  EXPECT_THROW(Trainer(network, {.horizon = 0}), InvalidArgument);
}

TEST(Stream, EventsAreCounted) {
  const Problem problem = bent_plane(400);
  Network network(small_network(Precision::float32, {20}));
  Trainer trainer(network);
  const StreamReport report = trainer.partial_fit(problem.rows(), problem.y);
  EXPECT_GT(report.linearised + report.silent, 0U);
}

}  // namespace
}  // namespace postrider::network
