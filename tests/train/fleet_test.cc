#include "train/fleet.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "files.h"
#include "train/side_by_side.h"

namespace postrider::network {
using namespace internal;
namespace {

PackCase quick_case(Precision precision = Precision::float32) {
  PackCase out = plain_case(precision, 30);
  out.options.max_epochs = 2;
  return out;
}

// What is trained together has one checkpoint, which the first of them gives its number.
std::set<std::string> checkpoints_of(std::vector<TrainingJob>& jobs, TrainerOptions options) {
  const TemporaryFolder folder;
  options.checkpoint = folder.file("checkpoint");
  fit_all(jobs, options);
  std::set<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(options.checkpoint).parent_path()))
    out.insert(entry.path().filename().string());
  return out;
}

TEST(Fleet, SixteenOfAShapeAreTrainedTogether) {
  const PackCase of = quick_case();
  Jobs forty(of, numbers_below(40));
  EXPECT_EQ(checkpoints_of(forty.all, of.options),
            (std::set<std::string>{"checkpoint", "checkpoint.16", "checkpoint.32"}));
}

TEST(Fleet, WhatWinsNothingIsTrainedAlone) {
  PackCase of = quick_case();
  Jobs one(of, {0});
  EXPECT_EQ(checkpoints_of(one.all, of.options), (std::set<std::string>{"checkpoint"}));
  // Two small networks would leave most lanes empty.
  Jobs two(of, {0, 1});
  EXPECT_EQ(checkpoints_of(two.all, of.options),
            (std::set<std::string>{"checkpoint", "checkpoint.1"}));
  // Packs have no groups side by side.
  of.options.parallel_groups = 2;
  Jobs many(of, numbers_below(12));
  EXPECT_EQ(checkpoints_of(many.all, of.options).size(), 12U);
}

// Twelve jobs of two kinds in turn.
std::set<std::string> checkpoints_of_kinds(const std::function<void(PackCase&)>& change,
                                           TrainerOptions options,
                                           const std::function<void(TrainingJob&)>& of_job = {}) {
  const PackCase kind = quick_case();
  PackCase other = kind;
  change(other);
  Jobs a(kind, numbers_below(12)), b(other, numbers_below(12));
  std::vector<TrainingJob> all;
  for (std::size_t j = 0; j < 24; ++j) {
    all.push_back(j % 2 == 0 ? a.all[j / 2] : b.all[j / 2]);
    if (of_job && j % 2 == 1) of_job(all.back());
  }
  return checkpoints_of(all, std::move(options));
}

TEST(Fleet, OthersAreNotTrainedTogether) {
  const TrainerOptions options = quick_case().options;
  const std::set<std::string> together{"checkpoint", "checkpoint.16"};
  const std::set<std::string> apart{"checkpoint", "checkpoint.1"};
  EXPECT_EQ(checkpoints_of_kinds([](PackCase&) {}, options), together);
  const std::vector<std::function<void(PackCase&)>> kinds{
      [](PackCase& c) { c.network.rule = graph::Rule::direct; },
      [](PackCase& c) { c.network.precision = Precision::float64; },
      [](PackCase& c) { c.network.layers[0].units = 7; },
      [](PackCase& c) { c.network.layers[0].bias = false; },
      [](PackCase& c) { c.network.layers[0].slope = 0.3; },
      [](PackCase& c) { c.network.layers[1].prior_variance = 0.7; },
      [](PackCase& c) {
        c.task.likelihood = Likelihood::varying_noise;
        c.data = [](std::size_t number) { return plane(30, 1, number); };
      },
  };
  for (std::size_t k = 0; k < kinds.size(); ++k)
    EXPECT_EQ(checkpoints_of_kinds(kinds[k], options), apart) << "kind " << k;
  // Data, the power and an order of rows are each network's own.
  const auto own_rows = [](PackCase& c) {
    c.own_data = true;
    c.data = [](std::size_t number) { return plane(30 - number, 2, number); };
  };
  // Those with most rows come first: the ninth begins the second pack.
  EXPECT_EQ(checkpoints_of_kinds(own_rows, options),
            (std::set<std::string>{"checkpoint", "checkpoint.9"}));
  EXPECT_EQ(checkpoints_of_kinds([](PackCase& c) { c.task.power = 1.2; }, options), together);
  const auto other_seed = [](TrainingJob& job) { job.seed = 8; };
  EXPECT_EQ(checkpoints_of_kinds([](PackCase&) {}, options, other_seed), together);
  // Damping, too, but where groups of several rows are predicted in another way.
  const auto damped = [](TrainingJob& job) { job.damping = 0.4; };
  TrainerOptions grouped = options;
  grouped.group_size = 3;
  EXPECT_EQ(checkpoints_of_kinds([](PackCase&) {}, options, damped), together);
  EXPECT_EQ(checkpoints_of_kinds([](PackCase&) {}, grouped, damped), apart);
  // Not so the order of groups, epoch by epoch.
  TrainerOptions every = options;
  every.shuffle = TrainerOptions::Shuffle::every_epoch;
  EXPECT_EQ(checkpoints_of_kinds([](PackCase&) {}, every), together);
  EXPECT_EQ(checkpoints_of_kinds([](PackCase&) {}, every, other_seed), apart);
  EXPECT_EQ(checkpoints_of_kinds(
                [](PackCase& c) { c.data = [](std::size_t n) { return plane(29, 2, n); }; }, every),
            apart);
}

// Kinds in turn, trained together and alone: outcomes are in the order of the jobs, each as it would be
// without the others.
class MixedFleet : public testing::Test {
 protected:
  MixedFleet() {
    PackCase other = of;
    other.network.layers[0].units = 5;
    other.options.max_epochs = 2;
    PackCase rare = of;
    rare.network.layers[0].units = 9;
    for (const auto& [kind, count] : {std::pair(of, 9), std::pair(other, 8), std::pair(rare, 1)})
      kinds.emplace_back(kind, numbers_below(static_cast<std::size_t>(count)));
    for (std::size_t i = 0; i < 9; ++i)
      for (Jobs& kind : kinds)
        if (i < kind.all.size()) all.push_back(kind.all[i]);
  }
  std::vector<Gaussian> beliefs_at(std::size_t job) const { return beliefs_of(all[job].network); }

  const PackCase of = quick_case();
  std::deque<Jobs> kinds;
  std::vector<TrainingJob> all;
};

TEST_F(MixedFleet, OutcomesAreInTheOrderOfTheJobs) {
  const std::vector<TrainingOutcome> found = fit_all(all, of.options);
  ASSERT_EQ(found.size(), 18U);
  std::vector<std::vector<Gaussian>> beliefs;
  for (std::size_t j = 0; j < 18; ++j) beliefs.push_back(beliefs_at(j));
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::vector<Trained> expected;
    if (kind == 2)
      expected.push_back(kinds[kind].fit_alone(0, of.options));
    else
      expected = kinds[kind].fit_in_pack(of.options);
    // 0 1 2 0 1 0 1 ... and a last 0.
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t at = kind == 2 ? 2 : i == 0 ? kind : 2 * i + 1 + kind;
      EXPECT_EQ(beliefs[at], expected[i].beliefs) << "job " << at;
      EXPECT_EQ(found[at].noise_variance, expected[i].noise);
      EXPECT_EQ(found[at].seen, expected[i].seen);
      ASSERT_EQ(found[at].report.epochs.size(), 2U);
      for (const EpochReport& epoch : found[at].report.epochs) EXPECT_EQ(epoch.member, at);
      EXPECT_EQ(found[at].report.epochs.back().score, expected[i].report.epochs.back().score);
    }
  }
}

TEST_F(MixedFleet, CallbacksTellTheJobAndHowManyThereAre) {
  std::map<std::size_t, std::vector<double>> scores;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    EXPECT_EQ(report.members, 18U);
    scores[report.member].push_back(report.score);
    return true;
  };
  TrainerOptions options = of.options;
  options.threads = 3;
  const std::vector<TrainingOutcome> found = fit_all(all, options, callbacks);
  ASSERT_EQ(scores.size(), 18U);
  for (std::size_t j = 0; j < 18; ++j) {
    ASSERT_EQ(scores[j].size(), 2U);
    for (std::size_t e = 0; e < 2; ++e)
      EXPECT_EQ(scores[j][e], found[j].report.epochs[e].score) << "job " << j;
  }
}

TEST_F(MixedFleet, CallbacksAreCalledOneAtATime) {
  std::atomic<int> inside = 0, most = 0;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport&) {
    most = std::max(most.load(), ++inside);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
    return true;
  };
  TrainerOptions options = of.options;
  options.threads = 3;
  fit_all(all, options, callbacks);
  EXPECT_EQ(most, 1);
}

TEST_F(MixedFleet, ThreadsDoNotChangeABit) {
  const std::vector<TrainingOutcome> expected = fit_all(all, of.options);
  std::vector<std::vector<Gaussian>> beliefs;
  for (std::size_t j = 0; j < 18; ++j) beliefs.push_back(beliefs_at(j));
  TrainerOptions options = of.options;
  for (const unsigned threads : {2U, 5U}) {
    options.threads = threads;
    const std::vector<TrainingOutcome> found = fit_all(all, options);
    for (std::size_t j = 0; j < 18; ++j) {
      EXPECT_EQ(beliefs_at(j), beliefs[j]);
      EXPECT_EQ(found[j].noise_variance, expected[j].noise_variance);
      EXPECT_EQ(found[j].report.epochs.back().score, expected[j].report.epochs.back().score);
    }
  }
}

TEST_F(MixedFleet, IfItIsCancelledJobsThatHadNotBegunHaveNoOutcome) {
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport&) { return false; };
  const std::vector<TrainingOutcome> found = fit_all(all, of.options, callbacks);
  EXPECT_EQ(found[0].report.reason, FitReport::StopReason::cancelled);
  EXPECT_EQ(found[0].report.epochs.size(), 1U);
  EXPECT_EQ(found[3].report.epochs.size(), 1U) << "trained with the first";
  for (const std::size_t j : {1U, 2U, 4U}) {
    EXPECT_TRUE(found[j].report.epochs.empty());
    EXPECT_TRUE(found[j].noise_variance.empty());
    EXPECT_EQ(beliefs_at(j)[0], all[j].network.prior(0));
  }
  // Also if it was interrupted; the first begins in any case.
  callbacks.progress = {};
  callbacks.interrupted = [] { return true; };
  const std::vector<TrainingOutcome> interrupted = fit_all(all, of.options, callbacks);
  EXPECT_EQ(interrupted[0].noise_variance.size(), 2U);
  EXPECT_TRUE(interrupted[1].noise_variance.empty());
}

TEST_F(MixedFleet, StoresOnDiskAreNotShared) {
  const TemporaryFolder folder;
  fit_all(all, of.options);
  const std::vector<Gaussian> expected = beliefs_at(0), of_other = beliefs_at(1);
  TrainerOptions options = of.options;
  options.store = TrainerOptions::Store::mapped_file;
  options.store_path = folder.file("store");
  options.threads = 3;
  fit_all(all, options);
  EXPECT_EQ(beliefs_at(0), expected);
  EXPECT_EQ(beliefs_at(1), of_other);
}

TEST(Fleet, ResumesEachFromItsOwnCheckpoint) {
  PackCase of = quick_case();
  of.options.max_epochs = 5;
  Jobs whole(of, numbers_below(20));
  const std::vector<Trained> expected = whole.with_beliefs(fit_all(whole.all, of.options));
  const TemporaryFolder folder;
  of.options.checkpoint = folder.file("checkpoint");
  of.options.max_epochs = 3;
  Jobs begun(of, numbers_below(20));
  fit_all(begun.all, of.options);
  of.options.max_epochs = 5;
  of.options.resume = true;
  std::size_t told = 0;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    EXPECT_GT(report.epoch, 3U);
    return ++told > 0;
  };
  Jobs resumed(of, numbers_below(20));
  const std::vector<Trained> found =
      resumed.with_beliefs(fit_all(resumed.all, of.options, callbacks));
  EXPECT_EQ(told, 40U);
  for (std::size_t j = 0; j < 20; ++j) expect_same_bits(found[j], expected[j]);
}

TEST(Fleet, NothingIsLearnedByNobody) {
  std::vector<TrainingJob> none;
  EXPECT_TRUE(fit_all(none, {}).empty());
}

}  // namespace
}  // namespace postrider::network
