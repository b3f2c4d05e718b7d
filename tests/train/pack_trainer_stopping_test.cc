// How training ends for networks side by side: each by itself, or all at once.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "complaint.h"
#include "train/pack_trainer.h"
#include "train/side_by_side.h"

namespace postrider::network {
using namespace internal;
namespace {

// See pack_trainer_test.cc: some ten times the epochs.
constexpr double kRounding = 1e-7;

PackCase patient_case(std::size_t patience) {
  PackCase out = plain_case();
  out.options.stopping = TrainerOptions::Stopping::score;
  out.options.patience = patience;
  out.options.max_epochs = 80;
  return out;
}

TEST(PackTrainerStopping, EachNetworkStopsWhenItsOwnScoreDoes) {
  const PackCase of = patient_case(2);
  Jobs jobs(of, numbers_below(16));
  std::map<std::size_t, std::size_t> told;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    EXPECT_EQ(report.epoch, ++told[report.member]);
    return true;
  };
  const std::vector<Trained> found = jobs.fit_in_pack(of.options, callbacks);
  std::set<std::size_t> lengths;
  for (std::size_t m = 0; m < 16; ++m) {
    SCOPED_TRACE(m);
    const Trained alone = trained_alone(of, m);
    EXPECT_EQ(found[m].report.reason, alone.report.reason);
    EXPECT_EQ(found[m].report.best_epoch, alone.report.best_epoch);
    EXPECT_EQ(found[m].report.epochs.size(), alone.report.epochs.size());
    EXPECT_EQ(found[m].seen, alone.seen);
    EXPECT_EQ(told[m], alone.report.epochs.size());
    expect_close(found[m].beliefs, alone.beliefs, kRounding);
    EXPECT_NEAR(found[m].noise[0] / alone.noise[0], 1, kRounding);
    lengths.insert(found[m].report.epochs.size());
  }
  EXPECT_GT(lengths.size(), 2U) << "nothing to see";
}

TEST(PackTrainerStopping, StretchesChangeNothing) {
  const PackCase of = patient_case(5);
  Jobs whole(of, numbers_below(3)), parts(of, numbers_below(3));
  const std::vector<Trained> expected = whole.fit_in_pack(of.options);
  const std::unique_ptr<TrainingRun> training = begin_pack(parts.all, of.options);
  std::size_t told = 0;
  const TrainingCallbacks callbacks{.progress = [&](const EpochReport& report) {
    told = std::max(told, report.epoch);
    return true;
  }};
  for (const std::size_t epochs : {3U, 4U, 10U}) {
    training->run(epochs, callbacks);
    EXPECT_EQ(told, epochs);
    // What it would be if it ended here: the best epoch until now.
    const std::vector<Trained> until = parts.with_beliefs(training->outcomes());
    TrainerOptions shorter = of.options;
    shorter.max_epochs = epochs;
    Jobs again(of, numbers_below(3));
    const std::vector<Trained> short_run = again.fit_in_pack(shorter);
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(until[m].beliefs, short_run[m].beliefs);
      EXPECT_EQ(until[m].noise, short_run[m].noise);
      EXPECT_EQ(until[m].seen, short_run[m].seen);
    }
  }
  training->run(kAllEpochs, callbacks);
  const std::vector<Trained> found = parts.with_beliefs(training->outcomes());
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(found[m].beliefs, expected[m].beliefs);
    EXPECT_EQ(found[m].noise, expected[m].noise);
    EXPECT_EQ(found[m].report.epochs.size(), expected[m].report.epochs.size());
    EXPECT_EQ(found[m].report.reason, expected[m].report.reason);
  }
}

// The last epoch's beliefs and noise, not the best one's.
TEST(PackTrainerStopping, AfterAFixedNumberOfEpochsTheLastCounts) {
  PackCase of = plain_case();
  of.options.max_epochs = 40;
  std::size_t past_the_best = 0;
  const std::vector<Trained> found = trained_in_pack(of, numbers_below(4));
  for (std::size_t m = 0; m < 4; ++m) {
    EXPECT_EQ(found[m].report.best_epoch, 40U);
    EXPECT_EQ(found[m].noise, found[m].report.epochs.back().noise_variance);
    expect_close(found[m].beliefs, trained_alone(of, m).beliefs, kRounding);
    past_the_best += found[m].report.epochs.back().best_epoch < 40 ? 1 : 0;
  }
  EXPECT_GT(past_the_best, 0U) << "nothing to see";
}

// A power that no number holds.
class DivergingLane : public testing::Test {
 protected:
  Jobs jobs_with_trouble(const PackCase& of) {
    Jobs out(of, numbers_below(4));
    out.all[2].task.power = 1e38;
    return out;
  }
  static PackCase floats() { return plain_case(Precision::float32); }
};

TEST_F(DivergingLane, DoesNotTouchTheOthers) {
  const PackCase of = floats();
  const std::vector<Trained> expected = trained_in_pack(of, numbers_below(4));
  Jobs jobs = jobs_with_trouble(of);
  std::set<std::size_t> told;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    told.insert(report.member);
    EXPECT_TRUE(std::isfinite(report.score) && std::isfinite(report.drift));
    return true;
  };
  const std::vector<Trained> found = jobs.fit_in_pack(of.options, callbacks);
  for (const std::size_t m : {0U, 1U, 3U}) expect_same_bits(found[m], expected[m]);
  EXPECT_EQ(found[2].report.reason, FitReport::StopReason::diverged);
  EXPECT_EQ(found[2].report.best_epoch, 0U);
  EXPECT_EQ(found[2].report.epochs.size(), 1U);
  for (std::size_t k = 0; k < found[2].beliefs.size(); ++k)
    EXPECT_EQ(found[2].beliefs[k], jobs.all[2].network.prior(k));
  EXPECT_EQ(found[2].noise, std::vector<double>(2, 0.5)) << "as it began";
  EXPECT_EQ(told, (std::set<std::size_t>{0, 1, 3})) << "nobody is told numbers that are none";
}

// Also if that very epoch is the last.
TEST_F(DivergingLane, LeavesNoSuchBeliefsIfTrainingIsCancelled) {
  const PackCase of = floats();
  Jobs jobs = jobs_with_trouble(of);
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport&) { return false; };
  const std::vector<Trained> found = jobs.fit_in_pack(of.options, callbacks);
  EXPECT_EQ(found[2].report.reason, FitReport::StopReason::diverged);
  for (std::size_t k = 0; k < found[2].beliefs.size(); ++k)
    EXPECT_EQ(found[2].beliefs[k], jobs.all[2].network.prior(k));
  EXPECT_EQ(found[0].report.reason, FitReport::StopReason::cancelled);
  EXPECT_NE(found[0].beliefs[0], jobs.all[0].network.prior(0));
}

TEST(PackTrainerStopping, ACancelledRunIsAShorterOne) {
  for (const TrainerOptions::Stopping stopping :
       {TrainerOptions::Stopping::score, TrainerOptions::Stopping::epochs}) {
    PackCase of = plain_case();
    of.options.stopping = stopping;
    TrainingCallbacks callbacks;
    callbacks.progress = [](const EpochReport& report) {
      return !(report.member == 1 && report.epoch == 3);
    };
    const std::vector<Trained> found = trained_in_pack(of, numbers_below(3), callbacks);
    of.options.max_epochs = 3;
    std::vector<Trained> shorter = trained_in_pack(of, numbers_below(3));
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(found[m].report.reason, FitReport::StopReason::cancelled);
      shorter[m].report.reason = FitReport::StopReason::cancelled;
      expect_same_bits(found[m], shorter[m]);
    }
  }
}

// In the second epoch: the first counts. 200 groups of one are asked for at 0, 64, 128 and 192.
TEST(PackTrainerStopping, AnEpochThatIsInterruptedDoesNotCount) {
  for (const TrainerOptions::Stopping stopping :
       {TrainerOptions::Stopping::score, TrainerOptions::Stopping::epochs}) {
    PackCase of = plain_case(Precision::float64, 200);
    of.options.stopping = stopping;
    std::size_t asked = 0;
    TrainingCallbacks callbacks;
    callbacks.interrupted = [&] { return ++asked == 6; };
    const std::vector<Trained> found = trained_in_pack(of, numbers_below(3), callbacks);
    of.options.max_epochs = 1;
    std::vector<Trained> first = trained_in_pack(of, numbers_below(3));
    for (std::size_t m = 0; m < 3; ++m) {
      first[m].report.reason = FitReport::StopReason::cancelled;
      first[m].seen = 200 + 64;
      expect_same_bits(found[m], first[m]);
    }
  }
}

// In the first, what was learned until then is better than nothing.
TEST(PackTrainerStopping, UnlessThereIsNone) {
  const PackCase of = plain_case(Precision::float64, 200);
  std::size_t asked = 0;
  TrainingCallbacks callbacks;
  callbacks.interrupted = [&] { return ++asked == 3; };
  const std::vector<Trained> found = trained_in_pack(of, numbers_below(3), callbacks);
  for (std::size_t m = 0; m < 3; ++m) {
    asked = 0;
    const Trained alone = trained_alone(of, m, callbacks);
    EXPECT_EQ(found[m].report.reason, FitReport::StopReason::cancelled);
    EXPECT_TRUE(found[m].report.epochs.empty());
    EXPECT_EQ(found[m].report.best_epoch, 0U);
    EXPECT_EQ(found[m].seen, 128U);
    EXPECT_EQ(found[m].seen, alone.seen);
    EXPECT_EQ(found[m].noise, alone.noise);
    expect_close(found[m].beliefs, alone.beliefs, kRounding);
  }
  asked = 2;
  Jobs at_once(of, {0, 1});
  const std::vector<Trained> nothing = at_once.fit_in_pack(of.options, callbacks);
  EXPECT_EQ(nothing[1].seen, 0U);
  EXPECT_EQ(nothing[1].beliefs[4], at_once.all[1].network.prior(4));
}

TEST(PackTrainerStopping, MistakesAreRefusedAsByATrainer) {
  PackCase of = plain_case();
  of.network.rule = graph::Rule::direct;
  of.options.block = 2;
  const auto in_pack = [&] { return complaint([&] { trained_in_pack(of, {0, 1}); }); };
  const auto alone = [&] { return complaint([&] { trained_alone(of, 0); }); };
  EXPECT_EQ(in_pack(), alone());
  of = plain_case();
  of.options.damping = -1;
  EXPECT_EQ(in_pack(), alone());
  of = plain_case();
  of.task.power = -1;
  EXPECT_EQ(in_pack(), alone());
  of = plain_case();
  of.options.noise_variance = {1, 2, 3};
  EXPECT_EQ(in_pack(), alone());
  EXPECT_NE(alone(), "no complaint");
}

}  // namespace
}  // namespace postrider::network
