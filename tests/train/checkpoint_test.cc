#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "files.h"
#include "postrider/network/trainer.h"
#include "sealed.h"
#include "train/problem.h"
#include "train/training_lane.h"

namespace postrider::network {
using namespace internal;
namespace {

struct Trained {
  FitReport report;
  std::vector<Gaussian> beliefs;
  std::vector<double> noise;
};

Trained train(const NetworkOptions& network_options, const TrainerOptions& options,
              const Problem& problem, const std::string& resume_from = {},
              const TrainingCallbacks& callbacks = {}, Likelihood likelihood = {}) {
  Network network(network_options);
  Trainer trainer(network, options, {likelihood});
  if (!resume_from.empty()) trainer.resume(resume_from);
  FitReport report = trainer.fit(problem.rows(), problem.y, {}, callbacks);
  return {report, beliefs_of(network), trainer.noise_variance()};
}

class CheckpointTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  const std::string path = folder.file("checkpoint");
  const Problem problem = bent_plane(40, 2);

  // A run that keeps a copy of the checkpoint of every epoch.
  Trained train_keeping_all(const NetworkOptions& network, TrainerOptions options,
                            const Problem& on, Likelihood likelihood) {
    options.checkpoint = path;
    TrainingCallbacks callbacks;
    callbacks.progress = [this](const EpochReport& report) {
      std::filesystem::copy_file(path, path_of(report.epoch),
                                 std::filesystem::copy_options::overwrite_existing);
      return true;
    };
    return train(network, options, on, {}, callbacks, likelihood);
  }
  std::string path_of(std::size_t epoch) { return folder.file(std::to_string(epoch)); }

  // Resumes the run from every epoch it had and expects the same end.
  void expect_same_from_everywhere(const NetworkOptions& network, const TrainerOptions& options,
                                   Likelihood likelihood = {}) {
    expect_same_from_everywhere(network, options, problem, likelihood);
  }
  void expect_same_from_everywhere(const NetworkOptions& network, const TrainerOptions& options,
                                   const Problem& on, Likelihood likelihood) {
    const Trained whole = train(network, options, on, {}, {}, likelihood);
    const Trained kept = train_keeping_all(network, options, on, likelihood);
    ASSERT_EQ(kept.beliefs, whole.beliefs) << "writing checkpoints changes nothing";
    ASSERT_GE(whole.report.epochs.size(), 3U);
    for (std::size_t epoch = 1; epoch <= whole.report.epochs.size(); ++epoch) {
      SCOPED_TRACE(testing::Message() << "from epoch " << epoch);
      const Trained resumed = train(network, options, on, path_of(epoch), {}, likelihood);
      EXPECT_EQ(resumed.beliefs, whole.beliefs);
      EXPECT_EQ(resumed.noise, whole.noise);
      EXPECT_EQ(resumed.report.reason, whole.report.reason);
      EXPECT_EQ(resumed.report.best_epoch, whole.report.best_epoch);
      // Those before it was resumed are told again.
      ASSERT_EQ(resumed.report.epochs.size(), whole.report.epochs.size());
      for (std::size_t i = 0; i < resumed.report.epochs.size(); ++i) {
        EXPECT_EQ(resumed.report.epochs[i].epoch, i + 1);
        EXPECT_EQ(resumed.report.epochs[i].score, whole.report.epochs[i].score);
        EXPECT_EQ(resumed.report.epochs[i].best_epoch, whole.report.epochs[i].best_epoch);
        EXPECT_EQ(resumed.report.epochs[i].noise_variance, whole.report.epochs[i].noise_variance);
      }
    }
  }
};

TEST_F(CheckpointTest, ResumingGivesTheSameBits) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    expect_same_from_everywhere(small_network(precision, {6}, 2),
                                {.max_epochs = 8,
                                 .patience = 20,
                                 .group_size = 3,
                                 .block = 4,
                                 .parallel_groups = 2,
                                 .shuffle = TrainerOptions::Shuffle::every_epoch});
  }
}

// The checkpoint of the last epoch is one of a run that has come to its end: no more epochs.
TEST_F(CheckpointTest, ResumingOnClassesGivesTheSameBits) {
  Problem classes = problem;
  classes.outputs = 1;
  for (std::size_t i = 0; i < problem.size(); ++i)
    classes.y[i] = problem.y[2 * i] > 0 ? 2 : (problem.y[2 * i + 1] > 0 ? 1 : 0);
  classes.y.resize(problem.size());
  expect_same_from_everywhere(small_network(Precision::float32, {6}, 3),
                              {.max_epochs = 5, .parallel_groups = 2}, classes,
                              Likelihood::classes);
}

TEST_F(CheckpointTest, ResumingWithVaryingNoiseGivesTheSameBits) {
  expect_same_from_everywhere(small_network(Precision::float32, {6}, 4),
                              {.max_epochs = 5, .constant_noise_epochs = 2, .parallel_groups = 2},
                              Likelihood::varying_noise);
}

// Whether or not a file is there.
TEST_F(CheckpointTest, TheOptionResumesWhereItCan) {
  const NetworkOptions network = small_network(Precision::float32, {6}, 2);
  const Trained whole = train(network, {.max_epochs = 6, .patience = 20}, problem);
  const TrainerOptions half{.max_epochs = 3, .patience = 20, .checkpoint = path, .resume = true};
  train(network, half, problem);
  std::size_t epochs_run = 0;
  TrainerOptions rest = half;
  rest.max_epochs = 6;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport&) { return ++epochs_run > 0; };
  EXPECT_EQ(train(network, rest, problem, {}, callbacks).beliefs, whole.beliefs);
  EXPECT_EQ(epochs_run, 3U);
}

TEST_F(CheckpointTest, ARunThatStoppedStaysStopped) {
  expect_same_from_everywhere(small_network(Precision::float32, {6}, 2),
                              {.max_epochs = 100, .patience = 2, .group_size = 2});
}

TEST_F(CheckpointTest, APapersRunThatStoppedStaysStopped) {
  expect_same_from_everywhere(
      small_network(Precision::float32, {6}, 2),
      {.max_epochs = 100, .stopping = TrainerOptions::Stopping::paper, .tolerance = 0.01});
}

TEST_F(CheckpointTest, ACancelledRunCanBeFinished) {
  const TrainerOptions options{.max_epochs = 6, .patience = 20, .group_size = 4};
  const NetworkOptions network = small_network(Precision::float32, {6}, 2);
  TrainerOptions cancelled = options;
  cancelled.checkpoint = path;
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport& report) { return report.epoch < 3; };
  EXPECT_EQ(train(network, cancelled, problem, {}, callbacks).report.reason,
            FitReport::StopReason::cancelled);
  EXPECT_EQ(train(network, options, problem, path).beliefs,
            train(network, options, problem).beliefs);
  // More epochs than were planned are no other training.
  TrainerOptions longer = options;
  longer.max_epochs = 9;
  EXPECT_EQ(train(network, longer, problem, path).beliefs, train(network, longer, problem).beliefs);
}

TEST_F(CheckpointTest, IsWrittenEverySoManyEpochs) {
  std::vector<std::size_t> written;
  TrainerOptions options{.max_epochs = 7, .stopping = TrainerOptions::Stopping::epochs};
  options.checkpoint = path;
  options.checkpoint_every = 3;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    if (std::filesystem::remove(path)) written.push_back(report.epoch);
    return true;
  };
  train(small_network(Precision::float32, {}, 2), options, problem, {}, callbacks);
  EXPECT_EQ(written, (std::vector<std::size_t>{3, 6}));
}

TEST(CheckpointPace, TakesATwentiethOfTheTimeAtMost) {
  using Clock = CheckpointPace::Clock;
  const Clock::time_point begin{};
  for (const std::chrono::milliseconds cost :
       {std::chrono::milliseconds(10), std::chrono::milliseconds(200)}) {
    CheckpointPace pace(begin);
    Clock::duration spent{};
    std::size_t written = 0;
    for (std::chrono::milliseconds now{}; now < std::chrono::minutes(10);
         now += std::chrono::milliseconds(50)) {
      if (!pace.is_due(begin + now)) continue;
      pace.wrote(cost);
      spent += cost;
      ++written;
      EXPECT_LE(20 * spent, now) << written;
      EXPECT_GE(now, std::chrono::seconds(5)) << "a short training has none";
    }
    EXPECT_GE(20 * (spent + 2 * cost), std::chrono::minutes(10)) << "as many as are allowed";
  }
}

TEST_F(CheckpointTest, ByTimeItIsWrittenWhenSomebodyEndsTraining) {
  TrainerOptions options{.max_epochs = 7, .stopping = TrainerOptions::Stopping::epochs};
  options.checkpoint = path;
  options.checkpoint_every = 0;
  const NetworkOptions network = small_network(Precision::float32, {}, 2);
  train(network, options, problem);
  EXPECT_FALSE(std::filesystem::exists(path)) << "so little time is not worth one";
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport& report) { return report.epoch < 3; };
  train(network, options, problem, {}, callbacks);
  ASSERT_TRUE(std::filesystem::exists(path));
  TrainerOptions whole = options;
  whole.checkpoint.clear();
  EXPECT_EQ(train(network, whole, problem, path).beliefs, train(network, whole, problem).beliefs);
}

TEST_F(CheckpointTest, OtherDataOrOptionsAreRefused) {
  const NetworkOptions network = small_network(Precision::float32, {6}, 2);
  TrainerOptions options{.max_epochs = 1, .group_size = 4, .parallel_groups = 2};
  options.checkpoint = path;
  train(network, options, problem);
  options.checkpoint.clear();
  options.max_epochs = 2;
  const auto resuming = [&](const NetworkOptions& with_network, const TrainerOptions& with,
                            const Problem& on) {
    const std::string out = trouble([&] { train(with_network, with, on, path); });
    if (out != "no trouble") {
      EXPECT_NE(out.find(path), std::string::npos) << out;
    }
    return out;
  };
  const auto with_option = [&](auto&& change) {
    TrainerOptions changed = options;
    change(changed);
    return resuming(network, changed, problem);
  };
  const std::string same = "no trouble";
  EXPECT_EQ(with_option([](auto&) {}), same);
  EXPECT_EQ(with_option([](auto& o) { o.threads = 2; }), same);
  EXPECT_EQ(with_option([](auto& o) { o.patience = 3; }), same);
  EXPECT_EQ(with_option([](auto& o) { o.noise_variance = {0.5, 0.5}; }), same);
  EXPECT_NE(with_option([](auto& o) { o.group_size = 5; }), same);
  EXPECT_NE(with_option([](auto& o) { o.noise_variance = {0.4}; }), same);
  EXPECT_NE(with_option([](auto& o) { o.learn_noise = false; }), same);
  EXPECT_NE(with_option([](auto& o) { o.damping = 0.5; }), same);
  EXPECT_NE(with_option([](auto& o) { o.block = 2; }), same);
  EXPECT_NE(with_option([](auto& o) { o.parallel_groups = 1; }), same);
  EXPECT_NE(with_option([](auto& o) { o.shuffle = TrainerOptions::Shuffle::none; }), same);
  EXPECT_NE(with_option([](auto& o) { o.seed = 2; }), same);

  Problem changed = problem;
  changed.y[3] += 1e-9;
  EXPECT_NE(resuming(network, options, changed), same);
  changed = problem;
  changed.x[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(resuming(network, options, changed), same);
  changed = problem;
  changed.x.resize(changed.x.size() - 2);
  changed.y.resize(changed.y.size() - 2);
  EXPECT_NE(resuming(network, options, changed), same);

  const auto with_network = [&](auto&& change) {
    NetworkOptions other = network;
    change(other);
    return resuming(other, options, problem);
  };
  EXPECT_NE(with_network([](auto& o) { o.layers[0].units = 7; }), same);
  EXPECT_NE(with_network([](auto& o) { o.precision = Precision::float64; }), same);
  EXPECT_NE(with_network([](auto& o) { o.seed = 7; }), same) << "other priors";
  EXPECT_NE(with_network([](auto& o) { o.layers[0].slope = 0.2; }), same);
  EXPECT_NE(with_network([](auto& o) { o.layers[0].activation_prior_variance = 2; }), same);
  EXPECT_NE(with_network([](auto& o) { o.rule = graph::Rule::direct; }), same);
}

TEST_F(CheckpointTest, WhatIsNoCheckpointIsRefused) {
  const NetworkOptions network = small_network(Precision::float32, {6}, 2);
  const TrainerOptions options{.max_epochs = 2};
  EXPECT_EQ(trouble([&] { train(network, options, problem, path); }),
            "cannot open " + path + ": No such file or directory");
  std::string empty(8, '\0');
  empty[0] = 2;
  write_bytes(path, empty + "{}");
  EXPECT_EQ(trouble([&] { train(network, options, problem, path); }),
            "cannot resume from " + path + ": it is not a checkpoint of this version");
}

TEST_F(CheckpointTest, EveryChangedBitIsRefused) {
  const NetworkOptions network = small_network(Precision::float32, {1}, 2);
  TrainerOptions options{.max_epochs = 1, .group_size = 40};
  options.checkpoint = path;
  train(network, options, problem);
  options.checkpoint.clear();
  const std::string whole = bytes_of(path);
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 43) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_bytes(path, bytes);
    EXPECT_NE(trouble([&] { train(network, options, problem, path); }), "no trouble") << bit;
  }
}

class WrittenCheckpointTest : public testing::Test {
 protected:
  static constexpr std::size_t kWeights = 3, kGroups = 2;
  static constexpr std::uint64_t kIdentity = 7;

  WrittenCheckpointTest() : belief(kWeights), store(kGroups, kWeights) {
    progress.epoch = progress.best_epoch = 2;
    progress.noise = progress.best_noise = {0.5};
    progress.best = WeightMessages<float>(kWeights);
    for (WeightMessages<float>* each : {&belief, &progress.best})
      std::ranges::fill(each->rho, 1.0F);
    progress.epochs.resize(2);
    for (EpochReport& report : progress.epochs) report.noise_variance = {0.5};
  }
  std::string written() {
    write_checkpoint<float>(path, {std::span(&progress, 1), belief, store, means}, kIdentity);
    Progress<float> read;
    read.noise = {1};
    read.best = WeightMessages<float>(kWeights);
    WeightMessages<float> read_belief(kWeights);
    return trouble([&] {
      read_checkpoint<float>(path, {std::span(&read, 1), read_belief, store, means}, kIdentity);
    });
  }

  TemporaryFolder folder;
  const std::string path = folder.file("checkpoint");
  Progress<float> progress;
  WeightMessages<float> belief;
  MessageStore<float> store;
  std::vector<float> means = std::vector<float>(kWeights);
};

TEST_F(WrittenCheckpointTest, AFailedWriteIsAFileError) {
  const std::string nowhere = folder.file("none/checkpoint");
  EXPECT_THROW(
      write_checkpoint<float>(nowhere, {std::span(&progress, 1), belief, store, means}, kIdentity),
      FileError);
  EXPECT_EQ(trouble([&] {
              write_checkpoint<float>(nowhere, {std::span(&progress, 1), belief, store, means},
                                      kIdentity);
            }),
            "cannot write " + nowhere + ": its folder does not exist");
}

TEST_F(WrittenCheckpointTest, ValuesThatCannotBeAreRefused) {
  EXPECT_EQ(written(), "no trouble");
  progress.noise = {1e-46};
  EXPECT_NE(written().find("noise variance"), std::string::npos);
  progress.noise = {0.5};
  belief.rho[1] = 0;
  EXPECT_NE(written().find("not proper"), std::string::npos);
  belief.rho[1] = 1;
  store.tau(1)[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(written().find("stored message"), std::string::npos);
  store.tau(1)[0] = 0;
  means[2] = std::numeric_limits<float>::infinity();
  EXPECT_NE(written().find("a mean of it"), std::string::npos);
  means[2] = 0;
  progress.epoch = 1000000000;  // memory for so many is not taken
  EXPECT_NE(written().find("history"), std::string::npos);
  progress.epoch = 2;
  EXPECT_EQ(written(), "no trouble");
}

TEST_F(WrittenCheckpointTest, WhatIsRefusedChangesNothing) {
  progress.noise = {0.5, 0.5};
  progress.best_noise = {0.5, -1};
  for (EpochReport& report : progress.epochs) report.noise_variance = {0.5, 0.5};
  write_checkpoint<float>(path, {std::span(&progress, 1), belief, store, means}, kIdentity);
  Progress<float> read;
  read.noise = {3, 4};
  read.best = WeightMessages<float>(kWeights);
  WeightMessages<float> read_belief(kWeights);
  std::ranges::fill(read_belief.rho, 9.0F);
  EXPECT_THROW(
      read_checkpoint<float>(path, {std::span(&read, 1), read_belief, store, means}, kIdentity),
      CorruptFile);
  EXPECT_EQ(read.noise, (std::vector<double>{3, 4}));
  EXPECT_EQ(read.epoch, 0U);
  EXPECT_EQ(read_belief.rho[0], 9.0F);
}

// Whatever the bytes: training goes on, or an Error names the file.
TEST_F(CheckpointTest, DamageGivesAnErrorOrARun) {
  const NetworkOptions network = small_network(Precision::float32, {2}, 2);
  TrainerOptions options{.max_epochs = 1, .group_size = 20};
  options.checkpoint = path;
  train(network, options, problem);
  options.checkpoint.clear();
  options.max_epochs = 2;
  const std::string whole = bytes_of(path);
  RandomStream random(6, 0);
  constexpr int kFiles = 200;
  int refused = 0;
  for (int file = 0; file < kFiles; ++file) {
    write_bytes(path, resealed(damaged(whole, random)));
    try {
      train(network, options, problem, path);
    } catch (const Error& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, kFiles / 4);
}

}  // namespace
}  // namespace postrider::network
