// Networks side by side that leave out rows, and judge each other by them.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "files.h"
#include "train/fleet.h"
#include "train/pack_rows.h"
#include "train/side_by_side.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr std::size_t kRows = 50;

using Rows = std::vector<std::uint32_t>;

// Every so many-th row, another for each network.
std::vector<Rows> folds_of(std::size_t networks, std::size_t rows = kRows, std::size_t every = 6) {
  std::vector<Rows> out(networks);
  for (std::size_t m = 0; m < networks; ++m)
    for (std::size_t row = m % every; row < rows; row += every)
      out[m].push_back(static_cast<std::uint32_t>(row));
  return out;
}

// Each of the networks leaves out one of the folds, in one team or each in its own.
enum class Team { one, own };
void leave_out(Jobs& jobs, const std::vector<Rows>& folds, Team team, std::size_t number = 0) {
  for (std::size_t m = 0; m < jobs.all.size(); ++m) {
    jobs.all[m].rows.left_out = folds[m];
    jobs.all[m].team = number + (team == Team::own ? m : 0);
  }
}

// The same rows in the same order, with those that are left out or without.
PackCase ordered_case(Precision precision = Precision::float64) {
  PackCase out = plain_case(precision, kRows);
  out.options.shuffle = TrainerOptions::Shuffle::none;
  return out;
}

std::vector<PackCase> cases() {
  std::vector<PackCase> out{ordered_case(), ordered_case(), ordered_case(), ordered_case()};
  out[1].name = "weights";
  out[1].data = [](std::size_t number) {
    JobData data = plane(kRows, 2, number);
    for (std::size_t i = 0; i < kRows; ++i) data.weights.push_back(i % 3 == 0 ? 0.5 : 1.2);
    return data;
  };
  out[2].name = "varying noise";
  out[2].task.likelihood = Likelihood::varying_noise;
  out[2].options.constant_noise_epochs = 2;
  out[2].data = [](std::size_t number) { return plane(kRows, 1, number); };
  out[3].name = "classes";
  out[3].network = small_network(Precision::float64, {6, 4}, 5);
  out[3].task.likelihood = Likelihood::classes;
  out[3].data = [](std::size_t number) { return sectors(kRows, 5, number); };
  return out;
}

// As in the other tests of packs: ten epochs of some ten thousand messages, each off by a unit of rounding, which what
// follows makes no more than a thousand times larger.
constexpr double kDouble = 1e4 * 1e3 * std::numeric_limits<double>::epsilon();

void expect_near(const Network::OutputMoments& found, const Network::OutputMoments& expected,
                 double tolerance) {
  ASSERT_EQ(found.mean.size(), expected.mean.size());
  for (std::size_t i = 0; i < found.mean.size(); ++i) {
    EXPECT_NEAR(found.mean[i], expected.mean[i], tolerance);
    EXPECT_NEAR(found.variance[i], expected.variance[i], tolerance);
  }
}

// Noise and scores come from the rows that are left out, in a pack as alone.
TEST(PackJudge, EachNetworkLearnsAndIsJudgedAsItIsAlone) {
  const std::vector<Rows> folds = folds_of(5);
  for (const PackCase& of : cases()) {
    SCOPED_TRACE(of.name);
    Jobs packed(of, numbers_below(5)), single(of, numbers_below(5));
    leave_out(packed, folds, Team::own);
    leave_out(single, folds, Team::own);
    const std::vector<TrainingOutcome> found = fit_pack(packed.all, of.options, {});
    for (std::size_t m = 0; m < 5; ++m) {
      SCOPED_TRACE(m);
      const Trained alone = single.fit_alone(m, of.options);
      expect_close(beliefs_of(packed.all[m].network), alone.beliefs, kDouble);
      EXPECT_EQ(found[m].seen, alone.seen);
      EXPECT_EQ(found[m].seen, 10 * (kRows - folds[m].size()));
      ASSERT_EQ(found[m].report.epochs.size(), alone.report.epochs.size());
      for (std::size_t e = 0; e < alone.report.epochs.size(); ++e) {
        const EpochReport &a = found[m].report.epochs[e], &b = alone.report.epochs[e];
        EXPECT_NEAR(a.score, b.score, kDouble);
        EXPECT_NEAR(a.score_error, b.score_error, kDouble);
        for (std::size_t o = 0; o < b.noise_variance.size(); ++o)
          EXPECT_NEAR(a.noise_variance[o] / b.noise_variance[o], 1, kDouble);
      }
    }
  }
}

// Beliefs after the last epoch, which is what counts here, predict the rows that are left out.
TEST(PackJudge, WhatIsToldOfRowsLeftOutIsWhatTheNetworkPredicts) {
  const std::vector<Rows> folds = folds_of(4);
  for (const PackCase& of : cases()) {
    SCOPED_TRACE(of.name);
    const JobData data = of.data(0);
    Jobs jobs(of, numbers_below(4));
    leave_out(jobs, folds, Team::one);
    const std::vector<TrainingOutcome> found = fit_pack(jobs.all, of.options, {});
    for (std::size_t m = 0; m < 4; ++m) {
      std::vector<double> x;
      for (const std::uint32_t row : folds[m])
        x.insert(x.end(), {data.x[2 * row], data.x[2 * row + 1]});
      expect_near(found[m].left_out, jobs.all[m].network.predict({x}), kDouble);
    }
  }
}

TEST(PackJudge, RowsLeftOutAreNotLearned) {
  const std::vector<Rows> folds = folds_of(3);
  PackCase of = ordered_case();
  of.options.learn_noise = false;
  Jobs jobs(of, numbers_below(3));
  leave_out(jobs, folds, Team::one);
  fit_pack(jobs.all, of.options, {});
  // Other numbers in the rows that are left out, which are another's to learn.
  for (std::size_t m = 0; m < 3; ++m) {
    SCOPED_TRACE(m);
    PackCase other = of;
    other.data = [&](std::size_t number) {
      JobData data = of.data(number);
      for (const std::uint32_t row : folds[m]) {
        data.x[2 * row] = 0.25 + data.x[2 * row];
        data.y[2 * row] += 10;
      }
      return data;
    };
    Jobs changed(other, numbers_below(3));
    leave_out(changed, folds, Team::one);
    fit_pack(changed.all, of.options, {});
    for (std::size_t each = 0; each < 3; ++each)
      EXPECT_EQ(beliefs_of(changed.all[each].network) == beliefs_of(jobs.all[each].network),
                each == m)
          << "network " << each;
    // Nor does it learn anything else than one that is not given them.
    PackCase without = of;
    without.data = [&](std::size_t number) {
      JobData data = of.data(number);
      for (std::uint32_t row = 0; row < kRows; ++row)
        if (std::ranges::find(folds[m], row) == folds[m].end())
          data.learned.push_back(row);
        else
          data.y[2 * row] = data.y[2 * row + 1] = kMissing;
      return data;
    };
    expect_close(beliefs_of(jobs.all[m].network), trained_alone(without, m).beliefs, kDouble);
  }
}

TEST(PackJudge, ATrainerLeavesRowsOutAsIfItDidNotHaveThem) {
  const std::vector<Rows> folds = folds_of(1);
  PackCase of = ordered_case(Precision::float32);
  of.options.learn_noise = false;
  of.options.shuffle = TrainerOptions::Shuffle::every_epoch;
  Jobs jobs(of, {0});
  leave_out(jobs, folds, Team::own);
  const Trained found = jobs.fit_alone(0, of.options);
  PackCase without = of;
  without.data = [&](std::size_t number) {
    JobData data = of.data(number);
    for (std::uint32_t row = 0; row < kRows; ++row)
      if (row % 6 != 0)
        data.learned.push_back(row);
      else
        data.y[2 * row] = data.y[2 * row + 1] = kMissing;
    return data;
  };
  const Trained expected = trained_alone(without, 0);
  EXPECT_EQ(found.beliefs, expected.beliefs);
  EXPECT_EQ(found.seen, expected.seen);
}

// Damped networks that leave out rows are not predicted before they learn; one that does not is.
TEST(PackJudge, DampedNetworksLearnTheSameWhoeverIsJudgedHow) {
  const std::vector<Rows> folds = folds_of(4);
  PackCase of = ordered_case();
  of.options.damping = 0.4;
  of.options.learn_noise = false;
  for (const std::size_t group_size : {1U, 3U}) {
    of.options.group_size = group_size;
    Jobs all(of, numbers_below(4)), three(of, numbers_below(4));
    leave_out(all, folds, Team::own);
    leave_out(three, folds, Team::own);
    three.all[3].rows.left_out = {};
    const std::vector<TrainingOutcome> a = fit_pack(all.all, of.options, {}),
                                       b = fit_pack(three.all, of.options, {});
    for (std::size_t m = 0; m < 3; ++m) {
      expect_close(beliefs_of(all.all[m].network), beliefs_of(three.all[m].network), kDouble);
      EXPECT_NEAR(a[m].report.epochs.back().score, b[m].report.epochs.back().score, kDouble);
    }
  }
}

// In the first epoch noise is what it was: the team's score is the mean over all rows that its networks leave out.
TEST(PackJudge, ATeamHasOneScoreOneNoiseAndOneBestEpoch) {
  const std::vector<Rows> folds = folds_of(6);
  for (PackCase& of : cases()) {
    SCOPED_TRACE(of.name);
    of.options.stopping = TrainerOptions::Stopping::score;
    of.options.patience = 3;
    of.options.max_epochs = 40;
    Jobs together(of, numbers_below(6)), apart(of, numbers_below(6));
    leave_out(together, folds, Team::one);
    leave_out(apart, folds, Team::own);
    const std::vector<TrainingOutcome> team = fit_pack(together.all, of.options, {}),
                                       own = fit_pack(apart.all, of.options, {});
    const JobData data = of.data(0);
    double sum = 0, count = 0;
    std::set<double> noises;
    for (std::size_t m = 0; m < 6; ++m) {
      double weight = 0;
      for (const std::uint32_t row : folds[m])
        weight += data.weights.empty() ? 1 : data.weights[row];
      sum += weight * own[m].report.epochs.front().score;
      count += weight;
      noises.insert(own[m].noise_variance.front());
    }
    EXPECT_GT(noises.size(), 1U) << "else there is nothing to see";
    EXPECT_NEAR(team[0].report.epochs.front().score, sum / count, kDouble);
    for (std::size_t m = 0; m < 6; ++m) {
      EXPECT_EQ(team[m].noise_variance, team[0].noise_variance);
      EXPECT_EQ(team[m].report.best_epoch, team[0].report.best_epoch);
      EXPECT_EQ(team[m].report.reason, team[0].report.reason);
      ASSERT_EQ(team[m].report.epochs.size(), team[0].report.epochs.size());
      for (std::size_t e = 0; e < team[0].report.epochs.size(); ++e) {
        EXPECT_EQ(team[m].report.epochs[e].score, team[0].report.epochs[e].score);
        EXPECT_EQ(team[m].report.epochs[e].score_error, team[0].report.epochs[e].score_error);
        EXPECT_EQ(team[m].report.epochs[e].noise_variance, team[0].report.epochs[e].noise_variance);
      }
      EXPECT_EQ(team[m].left_out.mean.size() % folds[m].size(), 0U);
      EXPECT_FALSE(team[m].left_out.mean.empty());
    }
  }
}

// Power 1e38 lets the third diverge: it neither judges nor stops the others.
TEST(PackJudge, ANetworkThatDivergesLeavesTheTeam) {
  const std::vector<Rows> folds = folds_of(4);
  const PackCase of = ordered_case(Precision::float32);
  Jobs with(of, numbers_below(4)), without(of, numbers_below(4));
  leave_out(with, folds, Team::one);
  leave_out(without, folds, Team::one);
  with.all[2].task.power = 1e38;
  std::vector<TrainingJob> sound{without.all[0], without.all[1], without.all[3]};
  const std::vector<TrainingOutcome> found = fit_pack(with.all, of.options, {}),
                                     expected = fit_pack(sound, of.options, {});
  EXPECT_EQ(found[2].report.reason, FitReport::StopReason::diverged);
  for (const auto& [m, at] : {std::pair(0U, 0U), std::pair(1U, 1U), std::pair(3U, 2U)}) {
    EXPECT_EQ(beliefs_of(with.all[m].network), beliefs_of(sound[at].network));
    EXPECT_EQ(found[m].noise_variance, expected[at].noise_variance);
    EXPECT_EQ(found[m].report.epochs.back().score, expected[at].report.epochs.back().score);
  }
}

void expect_same_bits(const TrainingOutcome& found, const TrainingOutcome& expected) {
  EXPECT_EQ(found.noise_variance, expected.noise_variance);
  EXPECT_EQ(found.seen, expected.seen);
  EXPECT_EQ(found.left_out.mean, expected.left_out.mean);
  EXPECT_EQ(found.left_out.variance, expected.left_out.variance);
  EXPECT_EQ(found.report.best_epoch, expected.report.best_epoch);
  ASSERT_EQ(found.report.epochs.size(), expected.report.epochs.size());
  for (std::size_t e = 0; e < found.report.epochs.size(); ++e) {
    EXPECT_EQ(found.report.epochs[e].score, expected.report.epochs[e].score);
    EXPECT_EQ(found.report.epochs[e].score_error, expected.report.epochs[e].score_error);
  }
}

// Two teams in one pack, or in two, and of other sizes.
TEST(PackJudge, ATeamIsTheSameToTheBitWhateverElseIsTrained) {
  PackCase of = plain_case(Precision::float32, kRows);
  of.own_data = false;
  PackCase other = of;
  other.data = [](std::size_t) { return plane(kRows - 7, 2, 3); };
  const std::vector<Rows> folds = folds_of(16), other_folds = folds_of(16, kRows - 7);
  for (const std::size_t size : {2U, 5U, 12U})
    for (const std::size_t others : {3U, 9U, 16U}) {
      SCOPED_TRACE(testing::Message() << size << " and " << others);
      Jobs alone(of, numbers_below(size)), own(of, numbers_below(size));
      Jobs more(other, numbers_below(others));
      leave_out(alone, folds, Team::one, 1);
      leave_out(own, folds, Team::one, 1);
      leave_out(more, other_folds, Team::one, 2);
      const std::vector<TrainingOutcome> expected = fit_all(alone.all, of.options);
      std::vector<TrainingJob> all = more.all;
      for (const TrainingJob& job : own.all) all.push_back(job);
      TrainerOptions options = of.options;
      options.threads = 2;
      const std::vector<TrainingOutcome> found = fit_all(all, options);
      for (std::size_t m = 0; m < size; ++m) {
        EXPECT_EQ(beliefs_of(own.all[m].network), beliefs_of(alone.all[m].network));
        expect_same_bits(found[others + m], expected[m]);
      }
    }
}

std::size_t checkpoints_of(Jobs& jobs, TrainerOptions options) {
  const TemporaryFolder folder;
  options.checkpoint = folder.file("checkpoint");
  fit_all(jobs.all, options);
  return folder.files();
}

// Networks that judge each other are trained together, though two small ones leave most lanes empty.
TEST(PackJudge, ATeamIsTrainedTogether) {
  PackCase of = plain_case(Precision::float32, 30);
  of.options.max_epochs = 2;
  const std::vector<Rows> folds = folds_of(2, 30);
  Jobs team(of, {0, 1}), apart(of, {0, 1});
  leave_out(team, folds, Team::one);
  leave_out(apart, folds, Team::own);
  EXPECT_EQ(checkpoints_of(team, of.options), 1U);
  EXPECT_EQ(checkpoints_of(apart, of.options), 2U);
}

class PackJudgeResuming : public testing::Test {
 protected:
  std::vector<TrainingOutcome> run(std::size_t epochs, const std::vector<Rows>& folds,
                                   bool resume) {
    TrainerOptions options = of.options;
    options.max_epochs = epochs;
    if (resume || keeps) options.checkpoint = folder.file("checkpoint");
    options.resume = resume;
    Jobs jobs(of, numbers_below(4));
    leave_out(jobs, folds, Team::one);
    std::vector<TrainingOutcome> out = fit_pack(jobs.all, options, {});
    beliefs.clear();
    for (const TrainingJob& job : jobs.all) beliefs.push_back(beliefs_of(job.network));
    return out;
  }

  PackCase of = plain_case(Precision::float32, kRows);
  bool keeps = false;
  std::vector<std::vector<Gaussian>> beliefs;
  const TemporaryFolder folder;
};

TEST_F(PackJudgeResuming, GivesTheSameBits) {
  for (const TrainerOptions::Stopping stopping :
       {TrainerOptions::Stopping::epochs, TrainerOptions::Stopping::score}) {
    of.options.stopping = stopping;
    of.options.patience = 20;
    keeps = false;
    const std::vector<TrainingOutcome> expected = run(12, folds_of(4), false);
    const std::vector<std::vector<Gaussian>> whole = beliefs;
    for (const std::size_t until : {1U, 7U, 9U}) {
      SCOPED_TRACE(until);
      keeps = true;
      run(until + 1, folds_of(4), false);  // the checkpoint of the last epoch is not written
      const std::vector<TrainingOutcome> found = run(12, folds_of(4), true);
      EXPECT_EQ(beliefs, whole);
      for (std::size_t m = 0; m < 4; ++m) expect_same_bits(found[m], expected[m]);
      std::filesystem::remove(folder.file("checkpoint"));
    }
  }
}

TEST_F(PackJudgeResuming, OtherRowsLeftOutAreRefused) {
  keeps = true;
  run(5, folds_of(4), false);
  std::vector<Rows> others = folds_of(4);
  others[2].pop_back();
  EXPECT_THROW(run(12, others, true), CorruptFile);
  EXPECT_NO_THROW(run(12, folds_of(4), true));
}

}  // namespace
}  // namespace postrider::network
