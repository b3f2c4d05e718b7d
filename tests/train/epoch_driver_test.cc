// The driver by itself: an engine that learns nothing, and whose scores are written down.
#include "train/epoch_driver.h"

#include <gtest/gtest.h>

#include <deque>

#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

using Scores = std::vector<std::vector<double>>;  // of each network, epoch by epoch

// What an engine was asked for, and the rows of all networks.
struct Asked {
  std::vector<std::size_t> epochs, places;  // begun; of each refresh
  std::vector<std::size_t> all_rows = {};   // networks that are to learn all rows
};

// After each epoch the number of the epoch is the first number of every belief.
class Scripted : public EpochEngine<double> {
 public:
  Scripted(std::span<TrainingJob> jobs, const TrainerOptions& options, Scores scores, Asked& asked)
      : EpochEngine<double>(lanes_of<double>(jobs, options)),
        scores_(std::move(scores)),
        asked_(asked),
        prior_(lanes_.size()),
        belief_(lanes_.size()),
        store_(lanes_.front()->visited.size(), lanes_.size()) {
    std::ranges::fill(prior_.rho, 1);
    belief_ = prior_;
    for (const auto& lane : lanes_)
      lane->groups = std::make_unique<Groups>(lane->visited, 1, options.shuffle, lane->job.seed);
  }

  EngineArrays<double> arrays() override {
    constexpr std::size_t kNever = 1000;
    return {prior_, belief_, store_, workers_, lanes_.size(), 1, kNever};
  }
  void copy(const WeightMessages<double>& from, std::size_t lane,
            WeightMessages<double>& to) const override {
    to.tau.front() = from.tau[lane];
  }
  bool learn_all_rows(std::size_t lane) override {
    asked_.all_rows.push_back(lane);
    return true;
  }
  void begin_epoch(std::size_t epoch, std::span<const Progress<double>> /*progress*/) override {
    asked_.epochs.push_back(epoch);
  }
  void refresh(std::span<const std::uint32_t> /*order*/, std::size_t done) override {
    asked_.places.push_back(done);
    std::ranges::fill(belief_.tau, static_cast<double>(asked_.epochs.back()));
  }
  std::vector<Assessment> assess(std::span<const Progress<double>> /*progress*/,
                                 std::span<const double> /*drift*/) override {
    std::vector<Assessment> out;
    for (const std::vector<double>& own : scores_)
      out.push_back({.score = own[std::min(asked_.epochs.back(), own.size()) - 1],
                     .count = 1,
                     .evidence = {}});
    return out;
  }

 private:
  Scores scores_;
  Asked& asked_;
  WeightMessages<double> prior_, belief_;
  Workers workers_{1};
  MessageStore<double> store_;
};

class EpochDriverTest : public testing::Test {
 protected:
  EpochDriverTest() {
    options.learn_noise = false;
    options.extrapolation = 0;
  }

  std::vector<TrainingOutcome> outcomes_of(const Scores& scores,
                                           const TrainingCallbacks& callbacks = {}) {
    const RowsToLearn rows{inputs, problem.y, {}, {}, left_out};
    for (std::size_t m = 0; m < scores.size(); ++m) {
      networks.emplace_back(small_network(Precision::float64));
      jobs.push_back({networks.back(), rows, {}});
    }
    const auto training =
        begin_epochs<double>(std::make_unique<Scripted>(jobs, options, scores, asked), options);
    training->run(kAllEpochs, callbacks);
    return training->outcomes();
  }
  // The epoch whose beliefs a network has; 0: none that was learned.
  double epoch_of(std::size_t m) {
    return std::get<NetworkArrays<double>>(inside_of(networks[m]).arrays).belief.tau.front();
  }

  static constexpr std::size_t kRows = 100;
  const Problem problem = bent_plane(kRows);
  const TrainingRows inputs{problem.rows(), 2, Precision::float64};
  std::vector<std::uint32_t> left_out;
  TrainerOptions options;
  std::deque<Network> networks;
  std::vector<TrainingJob> jobs;
  Asked asked;
};

// Predictions of this engine are zeros, whose score is some number between these.
TEST_F(EpochDriverTest, AllRowsAreLearnedInTheEndUnlessThoseLeftOutAreThenPredictedWorse) {
  left_out = {0, 5};
  options.max_epochs = 2;
  for (const double score : {-1e6, 1e6}) {
    networks.clear();
    jobs.clear();
    asked = {};
    const std::vector<TrainingOutcome> found = outcomes_of({{score, score + 1}});
    EXPECT_EQ(asked.epochs, (std::vector<std::size_t>{1, 2, 3, 4}));
    EXPECT_EQ(asked.all_rows, std::vector<std::size_t>{0});
    EXPECT_EQ(found.front().report.best_epoch, 2U);
    EXPECT_EQ(found.front().report.refit_epochs, score < 0 ? 2U : 0U);
    EXPECT_EQ(epoch_of(0), score < 0 ? 4 : 2);
  }
}

TEST_F(EpochDriverTest, EachNetworkStopsByItsOwnScoresAndKeepsItsBestEpoch) {
  options.patience = 2;
  const std::vector<TrainingOutcome> found =
      outcomes_of({{-3, -2, -4, -5}, {-3, -2, -1, -4, -5}, {-1, -2, -3}});
  EXPECT_EQ(asked.epochs, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  const std::vector<std::size_t> best{2, 3, 1};
  for (std::size_t m = 0; m < best.size(); ++m) {
    SCOPED_TRACE(m);
    EXPECT_EQ(found[m].report.reason, FitReport::StopReason::patience);
    EXPECT_EQ(found[m].report.best_epoch, best[m]);
    EXPECT_EQ(found[m].report.epochs.size(), best[m] + 2);
    EXPECT_EQ(found[m].seen, (best[m] + 2) * kRows);
    EXPECT_EQ(epoch_of(m), static_cast<double>(best[m]));
  }
}

TEST_F(EpochDriverTest, OnlyNetworksThatStillLearnAreToldOf) {
  options.patience = 1;
  std::vector<std::pair<std::size_t, std::size_t>> told;
  const TrainingCallbacks callbacks{.progress = [&](const EpochReport& report) {
    told.emplace_back(report.epoch, report.member);
    return true;
  }};
  outcomes_of({{-1, -2}, {-3, -2, -3}}, callbacks);
  const std::vector<std::pair<std::size_t, std::size_t>> expected{
      {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 1}};
  EXPECT_EQ(told, expected);
}

TEST_F(EpochDriverTest, RoundsBeginAfterEachOther) {
  options.max_epochs = 1;
  options.parallel_groups = 40;
  outcomes_of({{-1}});
  EXPECT_EQ(asked.places, (std::vector<std::size_t>{0, 40, 80}));
}

// It is asked at the beginning of an epoch and 64 groups later.
TEST_F(EpochDriverTest, AnEpochThatIsInterruptedCountsItsRowsAlone) {
  options.stopping = TrainerOptions::Stopping::epochs;
  std::size_t questions = 0;
  const TrainingCallbacks callbacks{.interrupted = [&] { return ++questions == 6; }};
  const std::vector<TrainingOutcome> found = outcomes_of({{-3, -1, -2}, {-1, -2, -3}}, callbacks);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(found[m].report.reason, FitReport::StopReason::cancelled);
    EXPECT_EQ(found[m].report.epochs.size(), 2U);
    EXPECT_EQ(found[m].report.best_epoch, 2U) << "the last, as was asked for";
    EXPECT_EQ(found[m].seen, 2 * kRows + 64);
    EXPECT_EQ(epoch_of(m), 2);
  }
}

TEST_F(EpochDriverTest, WhoeverHasNoScoreEndsWithoutTheOthers) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  options.max_epochs = 3;
  const std::vector<TrainingOutcome> found = outcomes_of({{-3, kNone}, {-3, -2, -1}});
  EXPECT_EQ(found[0].report.reason, FitReport::StopReason::diverged);
  EXPECT_EQ(epoch_of(0), 1);
  EXPECT_EQ(found[1].report.reason, FitReport::StopReason::max_epochs);
  EXPECT_EQ(epoch_of(1), 3);
}

}  // namespace
}  // namespace postrider::network
