#include "train/stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "files.h"
#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

// Learns, and keeps the beliefs after every epoch.
struct Watched {
  Network network;
  std::vector<std::vector<Gaussian>> after;
  FitReport report;
  std::vector<double> noise;

  Watched(const NetworkOptions& network_options, const TrainerOptions& options,
          const Problem& problem, const TrainingCallbacks& given = {}, double power = 1)
      : network(network_options) {
    TrainingCallbacks callbacks;
    callbacks.progress = [&](const EpochReport& epoch) {
      after.push_back(beliefs_of(network));
      return !given.progress || given.progress(epoch);
    };
    Trainer trainer(network, options, {.power = power});
    report = trainer.fit(problem.rows(), problem.y, {}, callbacks);
    noise = trainer.noise_variance();
  }
};

std::size_t best_of(const FitReport& report) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < report.epochs.size(); ++i)
    if (report.epochs[i].score > report.epochs[best].score) best = i;
  return best + 1;
}

TEST(Stopping, PatienceEndsAfterTheBestEpochAndKeepsIt) {
  const Problem problem = bent_plane(40);
  for (const std::size_t patience : {1U, 3U}) {
    const Watched run(small_network(Precision::float64),
                      {.max_epochs = 200, .patience = patience, .group_size = 1}, problem);
    ASSERT_EQ(run.report.reason, FitReport::StopReason::patience);
    const std::size_t best = best_of(run.report);
    EXPECT_EQ(run.report.best_epoch, best);
    EXPECT_EQ(run.report.epochs.size(), best + patience);
    EXPECT_EQ(beliefs_of(run.network), run.after[best - 1]);
    EXPECT_NE(beliefs_of(run.network), run.after.back());
    // The noise of that epoch is what the epoch before had left.
    ASSERT_GE(best, 2U);
    EXPECT_EQ(run.noise, run.report.epochs[best - 2].noise_variance);
    for (const EpochReport& epoch : run.report.epochs)
      EXPECT_EQ(epoch.best_epoch <= epoch.epoch, true);
    EXPECT_EQ(run.report.epochs.back().best_epoch, best);
  }
}

TEST(Stopping, EpochsAreCounted) {
  const Problem problem = bent_plane(40);
  const Watched run(small_network(Precision::float64),
                    {.max_epochs = 7, .stopping = TrainerOptions::Stopping::epochs}, problem);
  EXPECT_EQ(run.report.reason, FitReport::StopReason::max_epochs);
  ASSERT_EQ(run.report.epochs.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(run.report.epochs[i].epoch, i + 1);
  EXPECT_EQ(run.report.best_epoch, 7U);
  EXPECT_EQ(beliefs_of(run.network), run.after.back()) << "the last beliefs, not the best";
  EXPECT_EQ(run.noise, run.report.epochs.back().noise_variance);

  const Watched scored(small_network(Precision::float64), {.max_epochs = 2, .patience = 5},
                       problem);
  EXPECT_EQ(scored.report.reason, FitReport::StopReason::max_epochs);
  EXPECT_EQ(scored.report.best_epoch, best_of(scored.report));
}

// The mean log-likelihood of the targets under the network's predictions and this noise.
double training_score(const Network& network, const Problem& problem, double noise) {
  const Network::OutputMoments predicted = network.predict(problem.rows());
  double sum = 0;
  for (std::size_t i = 0; i < problem.y.size(); ++i)
    sum += Gaussian::from_moments(predicted.mean[i], predicted.variance[i] + noise)
               .log_density(problem.y[i]);
  return sum / static_cast<double>(problem.y.size());
}

TEST(Stopping, ThePapersRuleComparesTrainingScores) {
  constexpr double kRounding = 1e-12, kTolerance = 0.02;
  const Problem problem = bent_plane(40);
  std::vector<double> expected;
  Network network(small_network(Precision::float64));
  double noise = 0.5;
  TrainerOptions options{
      .max_epochs = 100, .stopping = TrainerOptions::Stopping::paper, .tolerance = kTolerance};
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& epoch) {
    expected.push_back(training_score(network, problem, noise));
    noise = epoch.noise_variance[0];
    return true;
  };
  const FitReport report = Trainer(network, options).fit(problem.rows(), problem.y, {}, callbacks);
  ASSERT_EQ(report.reason, FitReport::StopReason::converged);
  ASSERT_GE(report.epochs.size(), 3U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(report.epochs[i].training_score, expected[i], kRounding);
    if (i == 0) continue;
    const double share = std::abs(expected[i] - expected[i - 1]) / std::abs(expected[i - 1]);
    EXPECT_EQ(share < kTolerance, i + 1 == expected.size()) << "after epoch " << i + 1;
  }
}

// The rule that ends training has no say in what is learned.
TEST(Stopping, TheRuleDoesNotChangeTheEpochs) {
  const Problem problem = bent_plane(40);
  std::vector<std::vector<std::vector<Gaussian>>> runs;
  for (const TrainerOptions::Stopping stopping :
       {TrainerOptions::Stopping::epochs, TrainerOptions::Stopping::paper,
        TrainerOptions::Stopping::score})
    runs.push_back(Watched(small_network(Precision::float64),
                           {.max_epochs = 4,
                            .stopping = stopping,
                            .patience = 10,
                            .tolerance = 0,
                            .extrapolation = 0},
                           problem)
                       .after);
  EXPECT_EQ(runs[1], runs[0]);
  EXPECT_EQ(runs[2], runs[0]);
}

TEST(Stopping, ProgressCanCancel) {
  const Problem problem = bent_plane(40);
  TrainerOptions options{.max_epochs = 50, .stopping = TrainerOptions::Stopping::epochs};
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport& epoch) { return epoch.epoch < 3; };
  const Watched run(small_network(Precision::float32), options, problem, callbacks);
  EXPECT_EQ(run.report.reason, FitReport::StopReason::cancelled);
  EXPECT_EQ(run.report.epochs.size(), 3U);
  EXPECT_EQ(beliefs_of(run.network), run.after[2]);
}

// Scores that rise as a logarithm: by `gain` in each tenth more of the epochs.
Progress<double> rising(double gain, std::size_t epochs) {
  Progress<double> out;
  for (std::size_t e = 1; e <= epochs; ++e) {
    EpochReport report;
    report.score = gain * std::log(static_cast<double>(e)) / std::log(1.1);
    out.epochs.push_back(report);
    out.best_score = report.score;
    out.epoch = out.best_epoch = e;
  }
  return out;
}

TEST(Stopping, LittleToGainIsLessThanTwoThousandthsInATenth) {
  const TrainerOptions options{.max_epochs = 1000};
  const auto reason_after = [&](double gain, std::size_t epochs, const TrainerOptions& of) {
    FitReport::StopReason reason = FitReport::StopReason::diverged;
    return should_stop(of, 100, rising(gain, epochs), reason) ? reason
                                                              : FitReport::StopReason::diverged;
  };
  for (const std::size_t epochs : {100U, 160U, 240U}) {
    EXPECT_EQ(reason_after(0.0019, epochs, options), FitReport::StopReason::little_to_gain)
        << epochs;
    EXPECT_EQ(reason_after(0.0022, epochs, options), FitReport::StopReason::diverged) << epochs;
  }
  EXPECT_EQ(reason_after(0.0001, 99, options), FitReport::StopReason::diverged)
      << "too early to tell";
  EXPECT_EQ(reason_after(0.0001, 120, {.max_epochs = 1000, .patience = 121}),
            FitReport::StopReason::diverged);
  EXPECT_EQ(
      reason_after(0.0001, 120, {.max_epochs = 1000, .stopping = TrainerOptions::Stopping::epochs}),
      FitReport::StopReason::diverged);
}

// 400 000 rows in all, within 40 and 400 epochs.
TEST(Stopping, TheBudgetDependsOnTheRows) {
  EXPECT_EQ(epoch_budget(1), 400U);
  EXPECT_EQ(epoch_budget(1000), 400U);
  EXPECT_EQ(epoch_budget(2000), 200U);
  EXPECT_EQ(epoch_budget(10000), 40U);
  EXPECT_EQ(epoch_budget(100000000), 40U);
}

TEST(Stopping, EpochsThatAreNotAskedForAreThoseOfTheBudget) {
  const Problem problem = bent_plane(8);
  Network network(small_network(Precision::float32, {3}));
  Trainer trainer(network, {.stopping = TrainerOptions::Stopping::epochs});
  const FitReport report = trainer.fit(problem.rows(), problem.y);
  EXPECT_EQ(report.epochs.size(), 400U);
  EXPECT_EQ(report.epochs.front().max_epochs, 400U);
  EXPECT_EQ(report.reason, FitReport::StopReason::max_epochs);
}

// Nothing in the numbers may hold a power this absurd.
TEST(Stopping, DivergenceIsSaidAndLeavesFiniteBeliefs) {
  const Problem problem = bent_plane(60);
  const TemporaryFolder folder;
  for (const TrainerOptions::Stopping stopping :
       {TrainerOptions::Stopping::epochs, TrainerOptions::Stopping::paper,
        TrainerOptions::Stopping::score})
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      TrainerOptions options{.max_epochs = 500,
                             .stopping = stopping,
                             .patience = 500,
                             .tolerance = 0,
                             .group_size = 1,
                             .learn_noise = false};
      options.checkpoint = folder.file("checkpoint");
      constexpr double kAbsurdPower = 1e30;
      const Watched run(small_network(precision, {6, 6}), options, problem, {}, kAbsurdPower);
      ASSERT_EQ(run.report.reason, FitReport::StopReason::diverged);
      const std::vector<Gaussian> beliefs = beliefs_of(run.network);
      if (run.report.best_epoch > 0) {
        EXPECT_EQ(beliefs, run.after[run.report.best_epoch - 1]);
      } else {
        EXPECT_EQ(beliefs, beliefs_of(Network(small_network(precision, {6, 6}))));
      }
      for (const Gaussian& belief : beliefs)
        EXPECT_TRUE(belief.is_proper() && std::isfinite(belief.mean()));
      EXPECT_EQ(std::filesystem::remove(options.checkpoint), run.report.best_epoch > 0)
          << "what diverged is not written";
    }
}

}  // namespace
}  // namespace postrider::network
