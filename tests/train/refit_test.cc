// Epochs of all rows, also those that were left out, after training has ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "files.h"
#include "train/side_by_side.h"
#include "train/stopping.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr std::size_t kRows = 50, kNetworks = 4;
// As long as scores rise from epoch to epoch: targets have no noise.
constexpr std::size_t kEpochs = 6;

// Networks of one team, or each of its own, that leave out every fourth row.
class Leaving {
 public:
  explicit Leaving(const PackCase& of, bool is_team = true) : jobs(of, numbers_below(kNetworks)) {
    for (std::size_t m = 0; m < kNetworks; ++m) {
      for (std::size_t row = m; row < kRows; row += kNetworks)
        folds_[m].push_back(static_cast<std::uint32_t>(row));
      jobs.all[m].rows.left_out = folds_[m];
      jobs.all[m].team = is_team ? 0 : m;
    }
  }

  Jobs jobs;

 private:
  std::array<std::vector<std::uint32_t>, kNetworks> folds_ = {};
};

PackCase scored_case(double refit) {
  PackCase out = plain_case(Precision::float64, kRows);
  out.options.stopping = TrainerOptions::Stopping::score;
  out.options.extrapolation = 0;
  out.options.max_epochs = kEpochs;
  out.data = [](std::size_t number) {
    JobData data = plane(kRows, 2, number);
    for (std::size_t i = 0; i < data.x.size(); i += 2) {
      data.y[i] = std::max(data.x[i], 0.0) + 0.5 * data.x[i + 1];
      data.y[i + 1] = -data.y[i];
    }
    return data;
  };
  out.options.learn_noise = false;
  out.options.noise_variance = {0.05};
  out.options.refit = refit;
  return out;
}

Progress<double> ended(std::size_t best, std::size_t last) {
  Progress<double> out;
  out.best_epoch = best;
  out.epoch = last;
  return out;
}

TEST(Refit, FollowsWhereTheBestEpochIsNear) {
  const TrainerOptions options{.refit = 0.2};
  EXPECT_EQ(refit_epochs(options, ended(100, 100)), 20U);
  EXPECT_EQ(refit_epochs(options, ended(75, 100)), 20U);
  EXPECT_EQ(refit_epochs(options, ended(74, 100)), 0U);
  EXPECT_EQ(refit_epochs(options, ended(4, 4)), 2U) << "one epoch would only begin it";
  EXPECT_EQ(refit_epochs({.refit = 0}, ended(100, 100)), 0U);
  EXPECT_EQ(refit_epochs({.stopping = TrainerOptions::Stopping::epochs}, ended(100, 100)), 0U);
}

// What judged the epochs before stays: history, noise, and how rows were predicted that were left out.
TEST(Refit, ChangesBeliefsAlone) {
  Leaving with(scored_case(0.5)), without(scored_case(0));
  const std::vector<TrainingOutcome> found = fit_pack(with.jobs.all, scored_case(0.5).options, {}),
                                     expected =
                                         fit_pack(without.jobs.all, scored_case(0).options, {});
  for (std::size_t m = 0; m < kNetworks; ++m) {
    SCOPED_TRACE(m);
    EXPECT_EQ(found[m].report.refit_epochs, kEpochs / 2);
    EXPECT_EQ(expected[m].report.refit_epochs, 0U);
    EXPECT_EQ(found[m].report.epochs.size(), kEpochs);
    EXPECT_EQ(found[m].report.best_epoch, expected[m].report.best_epoch);
    EXPECT_EQ(found[m].report.epochs.back().score, expected[m].report.epochs.back().score);
    EXPECT_EQ(found[m].noise_variance, expected[m].noise_variance);
    EXPECT_EQ(found[m].left_out.mean, expected[m].left_out.mean);
    EXPECT_NE(beliefs_of(with.jobs.all[m].network), beliefs_of(without.jobs.all[m].network));
  }
}

// After many epochs of all rows a network knows what one knows that never left out any: both are where messages no
// longer change. Without them it is far from there.
TEST(Refit, ComesToWhatNetworksKnowThatLeaveOutNothing) {
  constexpr double kSettled = 0.05;  // standard deviations
  const auto farthest_after = [](double refit) {
    PackCase of = scored_case(refit), whole = scored_case(0);
    whole.options.stopping = TrainerOptions::Stopping::epochs;
    whole.options.max_epochs = 66;
    Leaving some(of);
    Jobs all(whole, numbers_below(kNetworks));
    fit_pack(some.jobs.all, of.options, {});
    fit_pack(all.all, whole.options, {});
    double farthest = 0;
    for (std::size_t m = 0; m < kNetworks; ++m) {
      const Network::OutputMoments found = some.jobs.all[m].network.predict({of.data(0).x}),
                                   expected = all.all[m].network.predict({of.data(0).x});
      for (std::size_t i = 0; i < found.mean.size(); ++i)
        farthest = std::max(
            farthest, std::abs(found.mean[i] - expected.mean[i]) / std::sqrt(expected.variance[i]));
    }
    return farthest;
  };
  EXPECT_LT(farthest_after(10), kSettled);
  EXPECT_GT(farthest_after(0), 10 * kSettled);
}

TEST(Refit, WhoeverEndsTrainingHasTheBestEpoch) {
  PackCase of = scored_case(0.5);
  Leaving cut(of), without(scored_case(0));
  std::size_t epochs = 0;
  const TrainingCallbacks callbacks{.progress =
                                        [&](const EpochReport& report) {
                                          epochs = report.epoch;
                                          return true;
                                        },
                                    .interrupted = [&] { return epochs == kEpochs; }};
  const std::vector<TrainingOutcome> found = fit_pack(cut.jobs.all, of.options, callbacks);
  fit_pack(without.jobs.all, scored_case(0).options, {});
  for (std::size_t m = 0; m < kNetworks; ++m) {
    EXPECT_EQ(found[m].report.refit_epochs, 0U);
    EXPECT_EQ(beliefs_of(cut.jobs.all[m].network), beliefs_of(without.jobs.all[m].network));
  }
}

// Networks that stop at other epochs are refitted while others still learn; a checkpoint of any epoch ends with the same
// bits.
TEST(Refit, GoesOnFromACheckpoint) {
  const TemporaryFolder folder;
  const std::string path = folder.file("checkpoint");
  PackCase of = scored_case(0.4);
  of.options.patience = 2;
  of.options.max_epochs = 60;
  Leaving whole(of, /*is_team=*/false);
  const std::vector<Trained> expected = whole.jobs.fit_in_pack(of.options);
  std::set<std::size_t> lengths;
  std::size_t refitted = 0;
  for (const Trained& each : expected) {
    lengths.insert(each.report.epochs.size());
    refitted += each.report.refit_epochs > 0 ? 1 : 0;
  }
  ASSERT_GT(lengths.size(), 1U);
  ASSERT_GT(refitted, 0U);
  of.options.checkpoint = path;
  for (std::size_t end = 1; end < *lengths.rbegin(); ++end) {
    SCOPED_TRACE(end);
    Leaving cut(of, /*is_team=*/false), resumed(of, /*is_team=*/false);
    cut.jobs.fit_in_pack(
        of.options, {.progress = [&](const EpochReport& report) { return report.epoch < end; }});
    TrainerOptions again = of.options;
    again.resume = true;
    const std::vector<Trained> found = resumed.jobs.fit_in_pack(again);
    for (std::size_t m = 0; m < kNetworks; ++m) expect_same_bits(found[m], expected[m]);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace postrider::network
