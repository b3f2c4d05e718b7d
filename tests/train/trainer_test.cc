#include "postrider/network/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "complaint.h"
#include "files.h"
#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
// Running sums against sums anew, over some hundred messages.
constexpr double kDoubleDrift = 1e-12, kFloatDrift = 1e-4;

struct Fitted {
  FitReport report;
  std::vector<Gaussian> beliefs;
  std::vector<double> noise;
  Network::OutputMoments predicted;
};

Fitted fit(const NetworkOptions& network_options, const TrainerOptions& options,
           const Problem& problem, const TrainingCallbacks& callbacks = {}) {
  Network network(network_options);
  Trainer trainer(network, options);
  FitReport report = trainer.fit(problem.rows(), problem.y, {}, callbacks);
  return {report, beliefs_of(network), trainer.noise_variance(), network.predict(problem.rows())};
}

TrainerOptions epochs(std::size_t count) {
  return {.max_epochs = count, .stopping = TrainerOptions::Stopping::epochs};
}

double mean_square_error(const std::vector<double>& found, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    sum += (found[i] - expected[i]) * (found[i] - expected[i]);
  return sum / static_cast<double>(found.size());
}

TEST(Trainer, BeliefsArePriorTimesStoredMessages) {
  const Problem problem = bent_plane(60);
  for (const std::size_t group_size : {1U, 7U, 60U})
    for (const std::size_t parallel : {1U, 3U}) {
      TrainerOptions options = epochs(5);
      options.group_size = group_size;
      options.parallel_groups = parallel;
      for (const EpochReport& epoch :
           fit(small_network(Precision::float64), options, problem).report.epochs) {
        EXPECT_LT(epoch.drift, kDoubleDrift);
        EXPECT_EQ(epoch.bounded, 0U);
      }
      for (const EpochReport& epoch :
           fit(small_network(Precision::float32), options, problem).report.epochs)
        EXPECT_LT(epoch.drift, kFloatDrift);
    }
}

TEST(Trainer, OneEpochOfOneGroupIsAStream) {
  const Problem problem = bent_plane(50);
  TrainerOptions options = epochs(1);
  options.group_size = problem.size();
  options.shuffle = TrainerOptions::Shuffle::none;
  options.learn_noise = false;
  const Fitted fitted = fit(small_network(Precision::float64), options, problem);

  Network network(small_network(Precision::float64));
  Trainer trainer(network, options);
  const double score = trainer.partial_fit(problem.rows(), problem.y).score;
  expect_close(beliefs_of(network), fitted.beliefs, kDoubleDrift);
  EXPECT_NEAR(score, fitted.report.epochs[0].score, kDoubleDrift);

  // In parts it is the same stream, except for the score's average.
  Network in_parts(small_network(Precision::float64));
  Trainer other(in_parts, options);
  const std::span<const double> x(problem.x), y(problem.y);
  const double first = other.partial_fit({x.first(40)}, y.first(20)).score;
  const double second = other.partial_fit({x.subspan(40)}, y.subspan(20)).score;
  EXPECT_EQ(beliefs_of(in_parts), beliefs_of(network));
  EXPECT_NEAR((20 * first + 30 * second) / 50, score, kDoubleDrift);
}

TEST(Trainer, ThreadsGiveTheSameBits) {
  const Problem problem = bent_plane(70, 2);
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const std::size_t parallel : {1U, 4U}) {
      TrainerOptions options = epochs(3);
      options.group_size = 3;
      options.parallel_groups = parallel;
      options.shuffle = TrainerOptions::Shuffle::every_epoch;
      const NetworkOptions network = small_network(precision, {40, 40}, 2);
      const Fitted one = fit(network, options, problem);
      for (const unsigned threads : {2U, 3U, 5U}) {
        options.threads = threads;
        const Fitted several = fit(network, options, problem);
        EXPECT_EQ(several.beliefs, one.beliefs) << threads << " threads, " << parallel;
        EXPECT_EQ(several.noise, one.noise);
        EXPECT_EQ(several.report.epochs.back().score, one.report.epochs.back().score);
      }
    }
}

TEST(Trainer, FittingAgainStartsAnew) {
  const Problem problem = bent_plane(40), other = bent_plane(30, 1, 2);
  Network network(small_network(Precision::float32));
  Trainer trainer(network, epochs(3));
  trainer.fit(problem.rows(), problem.y);
  const std::vector<Gaussian> first = beliefs_of(network);
  trainer.fit(other.rows(), other.y);
  EXPECT_NE(beliefs_of(network), first);
  trainer.partial_fit(other.rows(), other.y);
  trainer.fit(problem.rows(), problem.y);
  EXPECT_EQ(beliefs_of(network), first);
}

TEST(Trainer, ShuffleAndSeedMatter) {
  const Problem problem = bent_plane(40);
  TrainerOptions options = epochs(2);
  const std::vector<Gaussian> once =
      fit(small_network(Precision::float64), options, problem).beliefs;
  options.seed = 2;
  EXPECT_NE(fit(small_network(Precision::float64), options, problem).beliefs, once);
  options.seed = 1;
  options.shuffle = TrainerOptions::Shuffle::every_epoch;
  EXPECT_NE(fit(small_network(Precision::float64), options, problem).beliefs, once);
  options.shuffle = TrainerOptions::Shuffle::none;
  EXPECT_NE(fit(small_network(Precision::float64), options, problem).beliefs, once);
}

TEST(Trainer, TheMappedStoreGivesTheSameBits) {
  const TemporaryFolder folder;
  const Problem problem = bent_plane(40);
  TrainerOptions options = epochs(3);
  options.group_size = 2;
  const Fitted memory = fit(small_network(Precision::float32), options, problem);
  options.store = TrainerOptions::Store::mapped_file;
  options.store_path = folder.file("store");
  std::size_t names = 0;  // the file has none while it is used
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport&) {
    names += folder.files();
    return true;
  };
  EXPECT_EQ(fit(small_network(Precision::float32), options, problem, callbacks).beliefs,
            memory.beliefs);
  EXPECT_EQ(names, 0U);
  EXPECT_EQ(folder.files(), 0U);
  options.store_path = folder.file("missing/store");
  EXPECT_NE(trouble([&] {
              fit(small_network(Precision::float32), options, problem);
            }).find(options.store_path),
            std::string::npos);
}

TEST(Trainer, TheBudgetDecidesTheGroups) {
  const Problem problem = bent_plane(100);
  const auto bytes_with = [&](std::size_t budget, std::size_t group_size) {
    Network network(small_network(Precision::float32));
    TrainerOptions options = epochs(1);
    options.store_budget = budget;
    options.group_size = group_size;
    Trainer trainer(network, options);
    trainer.fit(problem.rows(), problem.y);
    return trainer.store_bytes();
  };
  const std::size_t one_message = bytes_with(1, 100);
  EXPECT_EQ(bytes_with(1, 1000), one_message) << "a group is never larger than the rows";
  EXPECT_EQ(bytes_with(1, 0), one_message) << "one message is always needed";
  EXPECT_EQ(bytes_with(1, 1), 100 * one_message);
  EXPECT_EQ(bytes_with(0, 0), 100 * one_message) << "the usual budget";
  EXPECT_EQ(bytes_with(100 * one_message, 0), 100 * one_message);
  EXPECT_EQ(bytes_with(100 * one_message - 1, 0), 50 * one_message);
  EXPECT_EQ(bytes_with(7 * one_message, 0), 7 * one_message);  // seven groups of fifteen
}

TEST(Trainer, MissingTargetsTeachNothing) {
  Problem problem = bent_plane(30);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Problem with_more = problem;
    for (const double x : {0.3, -2.0, 5.0, 1.0}) with_more.x.push_back(x);
    with_more.y.insert(with_more.y.end(), {kMissing, kMissing});
    TrainerOptions options = epochs(2);
    options.shuffle = TrainerOptions::Shuffle::none;
    options.group_size = 1;
    const Fitted without = fit(small_network(precision), options, problem),
                 with = fit(small_network(precision), options, with_more);
    EXPECT_EQ(with.beliefs, without.beliefs);
    EXPECT_EQ(with.noise, without.noise);
    EXPECT_EQ(with.report.epochs[1].score, without.report.epochs[1].score);
  }
}

// Not even about the noise: neither in epochs nor in a stream.
TEST(Trainer, AnOutputWithoutTargetsKeepsItsNoise) {
  Problem problem = bent_plane(30, 2);
  for (std::size_t i = 1; i < problem.y.size(); i += 2) problem.y[i] = kMissing;
  TrainerOptions options = epochs(4);
  options.noise_variance = {0.4, 0.7};
  const Fitted fitted = fit(small_network(Precision::float64, {3}, 2), options, problem);
  EXPECT_EQ(fitted.noise[1], 0.7);
  EXPECT_NE(fitted.noise[0], 0.4);
  Network network(small_network(Precision::float64, {3}, 2));
  Trainer trainer(network, options);
  for (int batch = 0; batch < 3; ++batch) trainer.partial_fit(problem.rows(), problem.y);
  EXPECT_EQ(trainer.noise_variance()[1], 0.7);
  EXPECT_NE(trainer.noise_variance()[0], 0.4);
}

TEST(Trainer, WithoutAnyTargetThePriorStays) {
  Problem problem = bent_plane(10);
  for (double& y : problem.y) y = kMissing;
  const Network prior(small_network(Precision::float32));
  const Fitted fitted = fit(small_network(Precision::float32), epochs(2), problem);
  EXPECT_EQ(fitted.beliefs, beliefs_of(prior));
  EXPECT_EQ(fitted.report.epochs[1].score, 0);
}

// All see the same examples; from one snapshot they say almost the same.
TEST(Trainer, BlocksLearnTheSame) {
  const Problem problem = bent_plane(400);
  constexpr double kCloseToNoise = 0.03, kNoise = 0.09;  // of the mean square error; of the targets
  TrainerOptions options = epochs(8);
  options.group_size = 8;
  std::vector<Gaussian> before;
  for (const std::size_t block : {1U, 2U, 4U, 8U}) {
    options.block = block;
    const Fitted fitted = fit(small_network(Precision::float32, {20}), options, problem);
    EXPECT_NEAR(mean_square_error(fitted.predicted.mean, problem.y), kNoise, kCloseToNoise)
        << block;
    EXPECT_NEAR(fitted.noise[0], kNoise, kCloseToNoise) << block;
    EXPECT_NE(fitted.beliefs, before) << "a block of " << block << " was not used";
    before = fitted.beliefs;
  }
}

TEST(Trainer, AStreamFindsTheNoiseHoweverItIsCut) {
  const Problem problem = bent_plane(3000);
  constexpr double kNoise = 0.09, kFactor = 1.5;
  const std::span<const double> x(problem.x), y(problem.y);
  for (const std::size_t rows : {1U, 2U, 30U, 300U}) {
    Network network(small_network(Precision::float64, {10}));
    Trainer trainer(network, {.noise_variance = {0.5}});
    for (std::size_t i = 0; i + rows <= problem.size(); i += rows)
      trainer.partial_fit({x.subspan(2 * i, 2 * rows)}, y.subspan(i, rows));
    EXPECT_LT(trainer.noise_variance()[0], kNoise * kFactor) << rows << " rows at a time";
    EXPECT_GT(trainer.noise_variance()[0], kNoise / kFactor) << rows << " rows at a time";
  }
}

TEST(Trainer, RowsAreChecked) {
  Network network(small_network(Precision::float32));
  Trainer trainer(network);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto complaint_of = [&](const std::vector<double>& x, const std::vector<double>& y) {
    const std::string fitting = complaint([&] { trainer.fit({x}, y); });
    EXPECT_EQ(complaint([&] { trainer.partial_fit({x}, y); }), fitting);
    return fitting;
  };
  EXPECT_EQ(complaint_of({}, {}), "inputs = 0: must hold at least one row");
  EXPECT_EQ(complaint_of({1, 2, 3}, {1}),
            "inputs = 3: must be a whole number of rows of the network's inputs");
  EXPECT_EQ(complaint_of({1, 2}, {1, 2}), "targets = 2: must hold one value per row and output");
  EXPECT_EQ(complaint_of({1, -infinity}, {1}),
            "inputs = -inf: must be finite, or NaN for a missing value");
  EXPECT_EQ(complaint_of({1, 2}, {infinity}),
            "targets = inf: must be finite, or NaN for a missing one");
  EXPECT_NE(complaint_of({1, 2}, {1e39}), "no complaint") << "infinite as a float";
  EXPECT_EQ(complaint([&] {
              const std::vector<double> x{1, 2}, variances{-1, 0}, y{1};
              trainer.fit(Inputs(x).with_variances(variances), y);
            }),
            "variances = -1: must be numbers of at least 0");
}

TEST(Trainer, UncertainInputsTeachLess) {
  const Problem problem = bent_plane(40);
  const auto precision_with = [&](double variance) {
    Network network(small_network(Precision::float64, {}));
    const std::vector<double> variances(problem.x.size(), variance);
    TrainerOptions options = epochs(3);
    options.learn_noise = false;
    Trainer(network, options).fit(Inputs(problem.x).with_variances(variances), problem.y);
    return network.weight(0).rho();
  };
  EXPECT_GT(precision_with(0), precision_with(0.5));
  EXPECT_GT(precision_with(0.5), precision_with(5));
}

// One weight without a bias: what row i says of it is N(y/x, noise/x^2), whatever else is known.
TEST(Trainer, ARowsMessageIsRaisedToItsWeight) {
  NetworkOptions line = NetworkOptions::dense(1, {});
  line.layers.front().bias = false;
  line.precision = Precision::float64;
  const std::vector<double> x{1, -2, 0.5}, y{2, -5, 1}, weights{0.5, 3, 1};
  constexpr double kNoise = 0.4;
  for (const std::size_t group_size : {1U, 3U}) {
    Network network(line);
    const Gaussian prior = network.prior(0);
    TrainerOptions options = epochs(2);
    options.group_size = group_size;
    options.noise_variance = {kNoise};
    options.learn_noise = false;
    Trainer(network, options).fit({x}, y, weights);
    double rho = prior.rho(), tau = prior.tau();
    for (std::size_t i = 0; i < x.size(); ++i) {
      rho += weights[i] * x[i] * x[i] / kNoise;
      tau += weights[i] * x[i] * y[i] / kNoise;
    }
    EXPECT_NEAR(network.weight(0).rho(), rho, kDoubleDrift * rho);
    EXPECT_NEAR(network.weight(0).tau(), tau, kDoubleDrift * std::abs(tau));
  }
}

TEST(Trainer, ScoreAndNoiseCountRowsByTheirWeights) {
  // A network that knows nothing but its prior, told nothing: the first score is the prior's own.
  NetworkOptions line = NetworkOptions::dense(1, {});
  line.precision = Precision::float64;
  const std::vector<double> x{0, 0}, y{1, kMissing}, weights{0.5, 7};
  Network network(line);
  const Network::OutputMoments before = network.predict({x});
  TrainerOptions options = epochs(1);
  options.noise_variance = {0.3};
  const FitReport alone = Trainer(network, options).fit({x}, y, weights);
  EXPECT_NEAR(alone.epochs[0].score,
              Gaussian::from_moments(before.mean[0], before.variance[0] + 0.3).log_density(1),
              kDoubleDrift);
  for (const Likelihood likelihood : {Likelihood::gaussian, Likelihood::varying_noise}) {
    const Problem problem = bent_plane(50);
    const std::size_t outputs = likelihood == Likelihood::gaussian ? 1 : 2;
    const auto run = [&](double weight) {
      Network again(small_network(Precision::float64, {}, outputs));
      TrainerOptions first = epochs(1);
      return Trainer(again, first, {likelihood, 1 / weight})
          .fit(problem.rows(), problem.y, std::vector<double>(problem.size(), weight))
          .epochs.front();
    };
    // Equal weights cancel, here also in the power.
    EXPECT_DOUBLE_EQ(run(0.5).score, run(1).score);
    EXPECT_NEAR(run(0.5).noise_variance[0], run(1).noise_variance[0], 1e-6);
  }
}

TEST(Trainer, RefusesWeightsThatMakeNoSense) {
  const Problem problem = bent_plane(2);
  Network network(small_network(Precision::float32));
  const auto complaint_of = [&](const std::vector<double>& weights) {
    return complaint([&] { Trainer(network).fit(problem.rows(), problem.y, weights); });
  };
  EXPECT_EQ(complaint_of({1}), "weights = 1: must be one for each row, or none");
  EXPECT_EQ(
      complaint_of({1, 0}),
      "weights = 0: must be numbers above 0 and at most 100; leave out rows that do not count");
}

TEST(Trainer, AnInterruptedEpochLeavesTheBestOneBefore) {
  const Problem problem = bent_plane(300);
  std::size_t finished = 0, asked_after = 0;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    finished = report.epoch;
    return true;
  };
  callbacks.interrupted = [&] { return finished == 3 && ++asked_after > 2; };
  for (const TrainerOptions::Stopping stopping :
       {TrainerOptions::Stopping::score, TrainerOptions::Stopping::epochs,
        TrainerOptions::Stopping::paper}) {
    finished = asked_after = 0;
    TrainerOptions options{.max_epochs = 10, .stopping = stopping, .tolerance = 0};
    const Fitted stopped = fit(small_network(Precision::float32), options, problem, callbacks);
    EXPECT_EQ(stopped.report.reason, FitReport::StopReason::cancelled);
    EXPECT_EQ(stopped.report.epochs.size(), 3U);
    options.max_epochs = 3;
    const Fitted three = fit(small_network(Precision::float32), options, problem);
    EXPECT_EQ(stopped.beliefs, three.beliefs);
    EXPECT_EQ(stopped.noise, three.noise);
  }
}

TEST(Trainer, AnInterruptedFirstEpochLeavesWhatItLearned) {
  const Problem problem = bent_plane(300);
  std::size_t asked = 0;
  TrainingCallbacks callbacks;
  callbacks.interrupted = [&] { return ++asked > 2; };
  const Fitted stopped =
      fit(small_network(Precision::float32), {.max_epochs = 10}, problem, callbacks);
  EXPECT_EQ(stopped.report.reason, FitReport::StopReason::cancelled);
  EXPECT_TRUE(stopped.report.epochs.empty());
  const Network untrained(small_network(Precision::float32));
  EXPECT_LT(mean_square_error(stopped.predicted.mean, problem.y),
            0.5 * mean_square_error(untrained.predict(problem.rows()).mean, problem.y));
}

}  // namespace
}  // namespace postrider::network
