// Checkpoints of networks side by side.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "files.h"
#include "train/pack_trainer.h"
#include "train/side_by_side.h"

namespace postrider::network {
using namespace internal;
namespace {

class PackTrainerResuming : public testing::Test {
 protected:
  // Keeps a copy of the checkpoint of every epoch.
  TrainingCallbacks keeping() {
    TrainingCallbacks out;
    out.progress = [this](const EpochReport& report) {
      std::filesystem::copy_file(path, of_epoch(report.epoch),
                                 std::filesystem::copy_options::overwrite_existing);
      return true;
    };
    return out;
  }
  std::string of_epoch(std::size_t epoch) { return folder.file(std::to_string(epoch)); }

  std::vector<Trained> resumed_from(std::size_t epoch, PackCase of) {
    of.options.checkpoint = folder.file("resumed");
    of.options.checkpoint_every = 1000;  // to read one is enough
    of.options.resume = true;
    std::filesystem::copy_file(of_epoch(epoch), of.options.checkpoint,
                               std::filesystem::copy_options::overwrite_existing);
    return trained_in_pack(of, numbers_below(kJobs));
  }

  void expect_same_from_everywhere(const PackCase& of) {
    SCOPED_TRACE(of.name);
    const std::vector<Trained> whole = trained_in_pack(of, numbers_below(kJobs));
    PackCase kept = of;
    kept.options.checkpoint = path;
    const std::vector<Trained> watched = trained_in_pack(kept, numbers_below(kJobs), keeping());
    std::size_t epochs = 0;
    for (std::size_t m = 0; m < kJobs; ++m) {
      expect_same_bits(watched[m], whole[m]);
      epochs = std::max(epochs, whole[m].report.epochs.size());
    }
    ASSERT_GT(epochs, 9U);
    for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
      SCOPED_TRACE(testing::Message() << "from epoch " << epoch);
      const std::vector<Trained> resumed = resumed_from(epoch, of);
      for (std::size_t m = 0; m < kJobs; ++m) expect_same_bits(resumed[m], whole[m]);
    }
  }

  static constexpr std::size_t kJobs = 5;
  const TemporaryFolder folder;
  const std::string path = folder.file("checkpoint");
};

// Twelve epochs: sums are rebuilt after the eighth.
PackCase long_case(Precision precision) {
  PackCase out = plain_case(precision, 30);
  out.options.max_epochs = 12;
  return out;
}

TEST_F(PackTrainerResuming, GivesTheSameBitsFromEveryEpoch) {
  PackCase of = long_case(Precision::float32);
  expect_same_from_everywhere(of);
  of.name = "best";
  of.options.stopping = TrainerOptions::Stopping::score;
  expect_same_from_everywhere(of);
  of.name = "damped groups";
  of.options.damping = 0.4;
  of.options.group_size = 4;
  expect_same_from_everywhere(of);
  of = long_case(Precision::float64);
  of.name = "rows of their own";
  of.own_data = true;
  of.data = [](std::size_t number) { return plane(30 - 3 * number, 2, number); };
  expect_same_from_everywhere(of);
  of = long_case(Precision::float64);
  of.name = "varying noise";
  of.task.likelihood = Likelihood::varying_noise;
  of.options.constant_noise_epochs = 4;
  of.data = [](std::size_t number) { return plane(30, 1, number); };
  expect_same_from_everywhere(of);
}

PackCase patient_case(std::size_t patience) {
  PackCase out = plain_case(Precision::float64);
  out.name = "patience";
  out.options.stopping = TrainerOptions::Stopping::score;
  out.options.patience = patience;
  out.options.max_epochs = 80;
  return out;
}

TEST_F(PackTrainerResuming, NetworksThatHadStoppedStay) {
  expect_same_from_everywhere(patient_case(2));
}

// A network that had stopped before the last does not go on; the others do, and can be resumed again.
TEST_F(PackTrainerResuming, MorePatienceIsForThoseThatStillRan) {
  PackCase of = patient_case(2);
  of.options.checkpoint = path;
  const std::vector<Trained> before = trained_in_pack(of, numbers_below(kJobs));
  std::size_t last = 0;
  std::set<std::size_t> lengths;
  for (const Trained& each : before) {
    lengths.insert(each.report.epochs.size());
    last = std::max(last, each.report.epochs.size());
  }
  ASSERT_GT(lengths.size(), 1U) << "nothing to see";
  of.options.resume = true;
  of.options.patience = 6;
  const std::vector<Trained> after = trained_in_pack(of, numbers_below(kJobs));
  of.options.patience = 2;
  const std::vector<Trained> again = trained_in_pack(of, numbers_below(kJobs));
  for (std::size_t m = 0; m < kJobs; ++m) {
    if (before[m].report.epochs.size() < last)
      expect_same_bits(after[m], before[m]);
    else
      EXPECT_GE(after[m].report.epochs.size(), last + 4);
    expect_same_bits(again[m], after[m]);
  }
}

// Its numbers are not in the file: the others could not be resumed.
TEST_F(PackTrainerResuming, WorksThoughANetworkHasDiverged) {
  PackCase of = long_case(Precision::float32);
  const auto run = [&](const TrainingCallbacks& callbacks) {
    Jobs jobs(of, numbers_below(kJobs));
    jobs.all[3].task.power = 1e38;
    return jobs.fit_in_pack(of.options, callbacks);
  };
  const std::vector<Trained> whole = run({});
  EXPECT_EQ(whole[3].report.reason, FitReport::StopReason::diverged);
  of.options.checkpoint = path;
  run(keeping());
  of.options.resume = true;
  for (const std::size_t epoch : {1U, 2U, 7U, 9U, 12U}) {
    SCOPED_TRACE(testing::Message() << "from epoch " << epoch);
    std::filesystem::copy_file(of_epoch(epoch), path,
                               std::filesystem::copy_options::overwrite_existing);
    const std::vector<Trained> resumed = run({});
    for (const std::size_t m : {0U, 1U, 2U, 4U}) expect_same_bits(resumed[m], whole[m]);
    EXPECT_EQ(resumed[3].report.reason, FitReport::StopReason::diverged);
    EXPECT_EQ(resumed[3].beliefs, whole[3].beliefs);
    EXPECT_EQ(resumed[3].noise, whole[3].noise);
  }
}

TEST_F(PackTrainerResuming, ACheckpointOfOthersIsRefused) {
  PackCase of = long_case(Precision::float64);
  of.options.checkpoint = path;
  trained_in_pack(of, numbers_below(kJobs));
  of.options.resume = true;
  const auto is_refused = [&](const PackCase& changed, const std::vector<std::size_t>& numbers) {
    try {
      trained_in_pack(changed, numbers);
    } catch (const CorruptFile& error) {
      return std::string(error.what()).find("other data or other training options") !=
             std::string::npos;
    }
    return false;
  };
  EXPECT_FALSE(is_refused(of, numbers_below(kJobs)));
  EXPECT_TRUE(is_refused(of, {0, 1, 2, 4, 3})) << "another order";
  EXPECT_TRUE(is_refused(of, {0, 1, 2, 3, 5})) << "another network";
  EXPECT_TRUE(is_refused(of, {5, 1, 2, 3, 4})) << "another first network";
  EXPECT_TRUE(is_refused(of, {0, 1, 2, 3})) << "one less";
  PackCase changed = of;
  changed.data = [](std::size_t number) {
    JobData data = plane(30, 2, number);
    data.y.back() += 1e-9;
    return data;
  };
  EXPECT_TRUE(is_refused(changed, numbers_below(kJobs))) << "another target";
  changed = of;
  changed.options.damping = 0.1;
  EXPECT_TRUE(is_refused(changed, numbers_below(kJobs)));
  changed = of;
  changed.options.max_epochs = 14;
  EXPECT_FALSE(is_refused(changed, numbers_below(kJobs))) << "more epochs are welcome";
}

// Said once, and training goes on.
TEST_F(PackTrainerResuming, ACheckpointThatCannotBeWrittenIsAWarning) {
  PackCase of = plain_case();
  const std::vector<Trained> expected = trained_in_pack(of, numbers_below(2));
  of.options.checkpoint = folder.file("nowhere/checkpoint");
  EXPECT_THROW(trained_in_pack(of, numbers_below(2)), Error);
  std::size_t warnings = 0;
  TrainingCallbacks callbacks;
  callbacks.warning = [&](const std::string&) { ++warnings; };
  const std::vector<Trained> found = trained_in_pack(of, numbers_below(2), callbacks);
  EXPECT_EQ(warnings, 1U);
  for (std::size_t m = 0; m < 2; ++m) expect_same_bits(found[m], expected[m]);
}

TEST_F(PackTrainerResuming, CheckpointsAreWrittenAsOftenAsAskedFor) {
  PackCase of = plain_case();
  of.options.checkpoint = path;
  of.options.checkpoint_every = 4;
  std::vector<std::size_t> there;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    if (std::filesystem::remove(path)) there.push_back(report.epoch);
    return true;
  };
  trained_in_pack(of, numbers_below(2), callbacks);
  EXPECT_EQ(there, (std::vector<std::size_t>{4, 8}));
}

}  // namespace
}  // namespace postrider::network
