#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "complaint.h"
#include "postrider/graph/factor.h"
#include "postrider/network/trainer.h"
#include "sweep/workspace.h"
#include "train/problem.h"
#include "train/rows_of_packs.h"
#include "train/targets.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kRounding = 1e-9;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// One row of scores and what a class says about them.
struct Row {
  std::vector<double> mean, variance, shift, spread, least;
  Observed observed;
  SweepRecord record;

  Row(std::vector<double> means, std::vector<double> variances, double target, double noise)
      : mean(std::move(means)),
        variance(std::move(variances)),
        shift(mean.size()),
        spread(mean.size()),
        least(mean.size()) {
    const auto targets = make_targets<double>(Likelihood::classes, mean.size());
    const auto observation = targets->observation();
    EXPECT_EQ(observation->targets_per_row(), 1U);
    observed =
        observation->observe({mean, variance, std::vector<double>{target}, std::vector{noise}},
                             {shift, spread, least}, record);
  }
};

TEST(ClassTargets, ASingleScoreIsObservedByProbit) {
  constexpr double kNoise = 0.3;
  for (const double target : {0.0, 1.0})
    for (const double mean : {-4.0, 0.0, 0.7, 3.0}) {
      const Row row({mean}, {1.7}, target, kNoise);
      const auto probit = graph::make_factor(
          "probit", {{"sign", {target == 1 ? 1.0 : -1.0}}, {"scale", {std::sqrt(kNoise)}}});
      const std::vector<Gaussian> incoming{Gaussian::from_moments(mean, 1.7)};
      const Gaussian said = probit->send(0, graph::Rule::conditioned, incoming).message;
      EXPECT_NEAR(mean + row.shift[0], said.mean(), kRounding * (1 + std::abs(said.mean())));
      EXPECT_NEAR(row.least[0], said.variance(), kRounding * said.variance());
      EXPECT_NEAR(row.spread[0], said.variance() + 1.7, kRounding * row.spread[0]);
      EXPECT_NEAR(std::exp(row.observed.log_likelihood),
                  class_probabilities({{mean}, {1.7}}, 1, kNoise)[target == 1 ? 1 : 0], kRounding);
    }
}

template <class T>
void test_pack(std::size_t outputs) {
  const auto observation = make_targets<T>(Likelihood::classes, outputs)->observation();
  const auto classes = static_cast<double>(std::max<std::size_t>(2, outputs));
  for (std::uint64_t stream = 0; stream < 10; ++stream) {
    PackOfRows<T> rows(outputs, 1, stream, [&](RandomStream& random) {
      return std::floor(random.uniform() * classes);
    });
    expect_pack_as_alone(rows, *observation);
  }
}

TEST(ClassTargets, NetworksSideBySideHearWhatTheyHearAlone) {
  for (const std::size_t outputs : {1U, 2U, 4U}) {
    test_pack<float>(outputs);
    test_pack<double>(outputs);
  }
}

TEST(ClassTargets, TheClassIsPulledUpAndTheOthersDown) {
  const Row row({0.5, 1, -2}, {1, 2, 0.5}, 0, 0.2);
  EXPECT_GT(row.shift[0], 0);
  EXPECT_LT(row.shift[1], 0);
  EXPECT_LT(row.shift[2], 0);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GE(row.least[k], 0.2);
    EXPECT_NEAR(row.spread[k], row.least[k] + row.variance[k], kRounding * row.spread[k]);
  }
  EXPECT_EQ(row.record.guarded, 0U);
}

TEST(ClassTargets, AMissingOrCertainClassSaysNothing) {
  const Row missing({0.5, 1, -2}, {1, 2, 0.5}, kMissing, 0.2);
  EXPECT_TRUE(std::isnan(missing.observed.log_likelihood));
  const Row certain({50, 1, -2}, {1, 2, 0.5}, 0, 0.2);
  EXPECT_NEAR(certain.observed.log_likelihood, 0, kRounding);
  for (const Row* row : {&missing, &certain})
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(row->shift[k], 0);
      EXPECT_EQ(row->least[k], kVague);
    }
}

TEST(ClassTargets, TheNoiseSlopeIsADerivative) {
  constexpr double kStep = 1e-4, kClose = 1e-6;
  for (const auto& mean : {std::vector<double>{0.4}, {0.1, 1.5, -0.3}})
    for (const double target : {0.0, 1.0}) {
      const std::vector<double> variance(mean.size(), 0.8);
      const auto at = [&](double step) {
        return Row(mean, variance, target, 0.5 * std::exp(step)).observed;
      };
      EXPECT_NEAR(at(0).noise_slope,
                  (at(kStep).log_likelihood - at(-kStep).log_likelihood) / (2 * kStep), kClose);
    }
}

// Three sectors of the plane.
Problem sectors(std::size_t rows) {
  Problem out;
  RandomStream random(5, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = random.normal();
    out.x.insert(out.x.end(), {a, b});
    out.y.push_back(a > 0 ? 2 : (b > 0 ? 1 : 0));
  }
  return out;
}

TEST(ClassTargets, TheScoreIsTheLogProbabilityBeforeLearning) {
  const Problem problem = sectors(1);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Network network(small_network(precision, {6}, 3));
    const double before = class_probabilities(network.predict(problem.rows()), 3,
                                              0.05)[static_cast<std::size_t>(problem.y[0])];
    Trainer trainer(network, {.learn_noise = false}, {Likelihood::classes});
    EXPECT_NEAR(trainer.partial_fit(problem.rows(), problem.y).score, std::log(before), 1e-5);
    const double after = class_probabilities(network.predict(problem.rows()), 3,
                                             0.05)[static_cast<std::size_t>(problem.y[0])];
    EXPECT_GT(after, before);
  }
}

TEST(ClassTargets, TrainingFindsTheSectors) {
  constexpr double kLeastScore = -0.25;
  const Problem problem = sectors(500);
  Network network(small_network(Precision::float32, {20}, 3));
  Trainer trainer(
      network, {.max_epochs = 20, .stopping = TrainerOptions::Stopping::paper, .tolerance = 0.01},
      {Likelihood::classes});
  const FitReport report = trainer.fit(problem.rows(), problem.y);
  EXPECT_GT(report.epochs.back().score, kLeastScore);
  EXPECT_GT(report.epochs.back().training_score, report.epochs.back().score);
  EXPECT_EQ(report.epochs.back().noise_variance.size(), 1U);
  EXPECT_EQ(report.epochs.back().guarded, 0U);
}

TEST(ClassTargets, MissingClassesTeachNothing) {
  Problem problem = sectors(30);
  const Problem all = problem;
  problem.x.insert(problem.x.end(), {1, 2, 3, 4});
  problem.y.insert(problem.y.end(), {kMissing, kMissing});
  const auto trained = [](const Problem& on) {
    Network network(small_network(Precision::float64, {6}, 3));
    Trainer(network, {.max_epochs = 3, .shuffle = TrainerOptions::Shuffle::none},
            {Likelihood::classes})
        .fit(on.rows(), on.y);
    return beliefs_of(network);
  };
  expect_close(trained(problem), trained(all), kRounding);
}

TEST(ClassTargets, AreChecked) {
  const auto complaint_of = [](std::size_t outputs, const std::vector<double>& y) {
    Network network(small_network(Precision::float32, {2}, outputs));
    Trainer trainer(network, {}, {Likelihood::classes});
    const std::vector<double> x{1, 2};
    return complaint([&] { trainer.fit({x}, y); });
  };
  EXPECT_EQ(complaint_of(3, {2}), "no complaint");
  EXPECT_EQ(complaint_of(1, {1}), "no complaint");
  EXPECT_EQ(complaint_of(3, {1, 2, 0}), "targets = 3: must hold one class number per row");
  const std::string three =
      ": must be class numbers, whole numbers from 0 to 2, or NaN for a missing one";
  EXPECT_EQ(complaint_of(3, {3}), "targets = 3" + three);
  EXPECT_EQ(complaint_of(3, {-1}), "targets = -1" + three);
  EXPECT_EQ(complaint_of(3, {0.5}), "targets = 0.5" + three);
  EXPECT_EQ(complaint_of(3, {std::numeric_limits<double>::infinity()}), "targets = inf" + three);
  EXPECT_EQ(complaint_of(1, {2}),
            "targets = 2: must be class numbers, whole numbers from 0 to 1, or NaN for a missing "
            "one");
  EXPECT_EQ(complaint([] {
              class_probabilities({{1, 2}, {1, 1}}, 2, 0);
            }),
            "noise_variance = 0: must be a number of at least 1e-30 and at most 1e30");
  EXPECT_EQ(complaint([] {
              class_probabilities({{1, 2, 3}, {1, 1, 1}}, 2, 1);
            }),
            "outputs = 2: must be at least 1 and divide the number of scores");
}

// Phi of the difference of two scores, or of one, in deviations of its own: scores and noise are both
// blurred by the temperature.
TEST(ClassTargets, TheTemperatureBlursScoresAndNoise) {
  constexpr double kNoise = 0.3;
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (const double temperature : {0.25, 1.0, 7.0}) {
    const std::vector<double> one =
        class_probabilities({{0.8, -1.1}, {0.5, 2}}, 1, kNoise, 1, temperature);
    EXPECT_NEAR(one[1], phi(0.8 / std::sqrt(temperature * (0.5 + kNoise))), kRounding);
    EXPECT_NEAR(one[3], phi(-1.1 / std::sqrt(temperature * (2 + kNoise))), kRounding);
    const std::vector<double> two =
        class_probabilities({{0.8, -1.1, 0, 0.4}, {0.5, 2, 0.1, 0.2}}, 2, kNoise, 1, temperature);
    EXPECT_NEAR(two[0], phi(1.9 / std::sqrt(temperature * (2.5 + 2 * kNoise))), kRounding);
    EXPECT_NEAR(two[2], phi(-0.4 / std::sqrt(temperature * (0.3 + 2 * kNoise))), kRounding);
  }
}

TEST(ClassTargets, ProbabilitiesDoNotDependOnThreads) {
  RandomStream random(1, 0);
  Network::OutputMoments scores;
  for (int i = 0; i < 4 * 300; ++i) {
    scores.mean.push_back(2 * random.normal());
    scores.variance.push_back(random.log_uniform(1e-3, 10));
  }
  const std::vector<double> one = class_probabilities(scores, 4, 0.1, 1);
  EXPECT_EQ(one, class_probabilities(scores, 4, 0.1, 3));
  EXPECT_NEAR(std::reduce(one.begin(), one.end()), 300, kRounding);
}

}  // namespace
}  // namespace postrider::network
