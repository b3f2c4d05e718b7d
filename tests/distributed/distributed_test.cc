#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

#include "complaint.h"
#include "distributed/spread_sine.h"
#include "estimator/member_folds.h"
#include "files.h"
#include "postrider/distributed/training.h"

namespace postrider::distributed {
using namespace internal;
namespace {

using DistributedTest = SpreadSine;

TEST_F(DistributedTest, TheModelIsTheSameToTheByteForAnyNumberOfProcesses) {
  for (const std::size_t members : {1, 3, 8})
    for (const network::Precision precision :
         {network::Precision::float32, network::Precision::float64}) {
      EstimatorOptions options = small(members);
      options.precision = precision;
      const std::string one = alone(options);
      options.training.threads = 3;
      EXPECT_EQ(alone(options), one);
      for (const std::size_t size : {2, 3, 4}) {
        ThreadRanks ranks(size);
        EXPECT_EQ(together(ranks, options), std::vector<std::string>(size, one)) << size;
      }
    }
}

TEST_F(DistributedTest, ItLearnsAsOneProcessDoes) {
  EstimatorOptions options = small();
  options.training.max_epochs = 40;
  Regressor whole(options), spread(options);
  whole.fit(training.x, training.y);
  LocalCommunicator one;
  fit_distributed(spread, shards(), {}, one);
  EXPECT_NEAR(spread.log_likelihood(held_out.x, held_out.y),
              whole.log_likelihood(held_out.x, held_out.y), 0.05);
}

TEST_F(DistributedTest, ALostProcessChangesNothing) {
  const TemporaryFolder folder;
  const std::string one = alone(small());
  for (const std::size_t call : {0, 1, 7, 40, 90})
    for (const bool has_checkpoint : {false, true}) {
      ThreadRanks ranks(4);
      ranks.dies = [&](std::size_t rank, std::size_t at) { return rank == call % 4 && at == call; };
      DistributedOptions how;
      if (has_checkpoint) how.checkpoint = folder.file("run" + std::to_string(call));
      EXPECT_EQ(together(ranks, small(), how), std::vector<std::string>(3, one)) << call;
      EXPECT_EQ(report_.recoveries, 1U);
    }
}

TEST_F(DistributedTest, TrainingGoesOnFromACheckpointOfOtherProcesses) {
  const TemporaryFolder folder;
  const std::string one = alone(small());
  EstimatorOptions begun = small();
  begun.training.max_epochs = 2;
  DistributedOptions how;
  how.checkpoint = folder.file("run");
  alone(begun, how);
  how.resume = true;
  ThreadRanks ranks(3);
  EXPECT_EQ(together(ranks, small(), how), std::vector<std::string>(3, one));
}

// What lies in the folder from a longer run is not this one's.
TEST_F(DistributedTest, ALossGoesOnFromThisRunsCheckpoints) {
  const TemporaryFolder folder;
  DistributedOptions how;
  how.checkpoint = folder.file("run");
  alone(small(), how);
  EstimatorOptions shorter = small();
  shorter.training.max_epochs = 3;
  const std::string expected = alone(shorter);
  ThreadRanks ranks(3);
  ranks.dies = [](std::size_t rank, std::size_t at) { return rank == 1 && at == 3; };
  EXPECT_EQ(together(ranks, shorter, how), std::vector<std::string>(2, expected));
}

// As when one process trains by itself: whoever is told of an epoch finds its checkpoint.
TEST_F(DistributedTest, ACheckpointIsThereBeforeItsEpochIsTold) {
  const TemporaryFolder folder;
  DistributedOptions how;
  how.checkpoint = folder.file("run");
  how.checkpoint_every = 1;
  Regressor model(small());
  LocalCommunicator one;
  std::size_t told = 0;
  const auto progress = [&](const EpochReport& report) {
    ++told;
    EXPECT_TRUE(std::filesystem::exists(how.checkpoint + "/epoch-" + std::to_string(report.epoch) +
                                        ".shard-0"));
    return true;
  };
  fit_distributed(model, shards(), how, one, {.progress = progress});
  EXPECT_EQ(told, 6u);
}

// One process whose calls all end as if another one had been lost.
class Losing : public LocalCommunicator {
 public:
  Outcome gather(std::span<const std::byte>, std::vector<std::vector<std::byte>>&) override {
    return Outcome::peer_lost;
  }
  bool recover() override {
    ++recovered;
    return true;
  }
  std::size_t recovered = 0;
};

TEST_F(DistributedTest, LossesWithoutEndAreAnError) {
  Regressor model(small());
  Losing all;
  EXPECT_EQ(trouble([&] { fit_distributed(model, shards(), {}, all); }),
            "processes were lost 11 times before epoch 1 ended: training gives up");
  EXPECT_EQ(all.recovered, 10u);
}

TEST_F(DistributedTest, ADamagedCheckpointIsRefused) {
  const TemporaryFolder folder;
  DistributedOptions how;
  how.checkpoint = folder.file("run");
  alone(small(), how);
  how.resume = true;
  EstimatorOptions other = small();
  other.power = 1.5;
  EXPECT_NE(trouble([&] { alone(other, how); }).find("it is of another run"), std::string::npos);
  const std::string shard = how.checkpoint + "/epoch-6.shard-2";
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) - 1);
  EXPECT_NE(trouble([&] { alone(small(), how); }).find("shorter or longer"), std::string::npos);
  std::filesystem::remove(shard);
  EXPECT_NE(trouble([&] { alone(small(), how); }).find("epoch-6.shard-2"), std::string::npos);
}

// A linear model with known noise has one answer: that of the rows that are left, and that the network learns.
TEST_F(DistributedTest, WhatAShardSaidCanBeTakenOut) {
  const TemporaryFolder folder;
  EstimatorOptions linear{.hidden = {}, .ensemble_size = 1, .power = 1};
  linear.precision = network::Precision::float64;
  linear.varying_noise = false;
  linear.training.learn_noise = false;
  linear.training.max_epochs = 3;
  DistributedOptions how;
  how.checkpoint = folder.file("run");
  alone(linear, how);
  how.resume = true;
  how.forget = {4};
  ThreadRanks ranks(3);
  const std::vector<std::string> forgotten = together(ranks, linear, how);
  ASSERT_EQ(forgotten.size(), 3U);
  std::istringstream file(forgotten.front());
  const Regressor model = Regressor::load(file);
  const Shards all = shards();
  const std::vector<Estimator::ColumnScale> x = model.input_scales();
  // Natural parameters add up: prior and rows, in standardised units, of slope and offset that are factorised.
  double precision = 1 / model.network().prior(0).variance();
  for (std::size_t s = 0; s < all.count; ++s) {
    if (s == 4) continue;
    const std::span<const double> values = all.rows(s).inputs.values();
    const std::vector<std::uint32_t> left_out =
        left_out_of_shard(values.size(), 0, s, linear.training.seed);
    EXPECT_NEAR(static_cast<double>(left_out.size()), static_cast<double>(values.size()) / 8, 1);
    for (std::uint32_t i = 0; i < values.size(); ++i)
      if (std::ranges::find(left_out, i) == left_out.end())
        precision += std::pow((values[i] - x[0].mean) / x[0].std, 2) /
                     (model.noise_variance()[0] + model.network().weight(1).variance());
  }
  EXPECT_NEAR(1 / model.network().weight(0).variance() / precision, 1, 0.02);
}

// Rows come in pairs that are all but the same, with the noise in common, and one of a pair lies in another shard: a network that
// has learned one knows the other, and says so unless pairs are groups.
TEST_F(DistributedTest, GroupsStayTogetherInAllShards) {
  std::vector<double> x = training.x, y = training.y;
  std::vector<std::uint32_t> pairs(x.size());
  std::iota(pairs.begin(), pairs.end(), 0U);
  for (std::size_t row = 0; row < training.x.size(); ++row) {
    x.push_back(training.x[row] + 1e-6);
    y.push_back(training.y[row]);
    pairs.push_back(static_cast<std::uint32_t>(row));
  }
  EstimatorOptions options = small(8);
  options.hidden = {30};
  options.training.max_epochs = 40;
  options.weights_per_example = 0;
  const auto of = [&](std::span<const std::uint32_t> groups) {
    return learned(options, shards_of(Examples{x, y, {}, groups}, 6));
  };
  const Regressor apart = of({}), together = of(pairs);
  EXPECT_NE(saved(apart), saved(together));
  EXPECT_LT(together.out_of_fold_score()->log_likelihood,
            apart.out_of_fold_score()->log_likelihood);
  EXPECT_EQ(complaint([&] { of(std::span(pairs).first(3)); }),
            "groups = 3: must be one for each row, or none");
  // A single group says nothing of others; nothing breaks.
  EXPECT_GT(of(std::vector<std::uint32_t>(x.size(), 9)).inputs(), 0U);
}

// Rows that belong together otherwise are judged by other folds.
TEST_F(DistributedTest, ACheckpointOfOtherGroupsIsRefused) {
  const TemporaryFolder folder;
  DistributedOptions how;
  how.checkpoint = folder.file("run");
  std::vector<std::uint32_t> groups(training.x.size());
  for (std::size_t row = 0; row < groups.size(); ++row)
    groups[row] = static_cast<std::uint32_t>(row / 4);
  const auto run = [&] {
    learned(small(), shards_of(Examples{training.x, training.y, {}, groups}, 6), how);
  };
  run();
  how.resume = true;
  run();
  std::swap(groups.front(), groups.back());
  EXPECT_NE(trouble(run).find("it is of another run"), std::string::npos);
  groups.clear();
  EXPECT_NE(trouble(run).find("it is of another run"), std::string::npos);
}

// What networks say of rows that they leave out is what the whole predicts of new ones, but for their number.
TEST_F(DistributedTest, TheScoreIsThatOfNewRows) {
  EstimatorOptions options = small(8);
  options.training.max_epochs = 20;
  const Regressor model = learned(options, shards());
  ASSERT_TRUE(model.out_of_fold_score().has_value());
  const double found = model.out_of_fold_score()->log_likelihood;
  const double later = model.log_likelihood(held_out.x, held_out.y);
  // Single networks predict a little worse than all of them together.
  EXPECT_LT(found, later + 3 * model.out_of_fold_score()->standard_error);
  EXPECT_GT(found, later - 0.2);
  EXPECT_EQ(model.out_of_fold_score()->rows, training.y.size());
}

TEST_F(DistributedTest, NumbersFarFromAllOthersAreLookedForInEachShard) {
  // One shard is all rows: what is learned is what is learned of the same rows without the number.
  constexpr double kSlip = 1e12;
  std::vector<double> slipped = training.x, missing = training.x;
  slipped[7] = kSlip;
  missing[7] = std::numeric_limits<double>::quiet_NaN();
  const auto of = [&](const std::vector<double>& inputs, std::size_t count) {
    return saved(learned(small(), shards_of(Examples{inputs, training.y}, count)));
  };
  for (const std::size_t count : {std::size_t{1}, std::size_t{6}})
    EXPECT_EQ(of(slipped, count), of(missing, count));
  // A target is moved, and both are told of once, however many processes there are.
  std::vector<double> targets = training.y;
  targets[3] = -kSlip;
  std::vector<std::string> told;
  TrainingCallbacks callbacks;
  callbacks.warning = [&](const std::string& text) { told.push_back(text); };
  callbacks.input_names = {"angle"};
  Regressor model(small());
  LocalCommunicator one;
  fit_distributed(model, shards_of(Examples{slipped, targets}, 6), {}, one, callbacks);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("column \"angle\": 1 of"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("the target: 1 of"), std::string::npos) << told[1];
  const std::vector<double> at{0.5};
  EXPECT_LT(std::abs(model.predict(at).mean.front()), 10.0);
}

TEST_F(DistributedTest, TooManyRowsInFlightAreNoticed) {
  EstimatorOptions options = small();
  options.training.max_epochs = 30;
  DistributedOptions how;
  how.rows_in_flight = 1;
  alone(options, how);
  EXPECT_GT(report_.halved, 0U);
  EXPECT_LT(report_.rows_in_flight, 1);
}

// They would be left out without a word.
TEST_F(DistributedTest, ScalesThatNeedAllRowsAtOnceAreRefused) {
  const std::string why = " where shards are learned together: others need all rows at once";
  EstimatorOptions options = small();
  options.encoding = Encoding::quantile;
  EXPECT_EQ(complaint([&] { alone(options); }),
            "encoding = \"quantile\": must be standard or chosen" + why);
  options.encoding = Encoding::standard;
  EXPECT_EQ(complaint([&] { alone(options); }), "no complaint");
  options.target_scale = EstimatorOptions::TargetScale::root;
  EXPECT_EQ(complaint([&] { alone(options); }),
            "target_scale = \"root\": must be plain or chosen" + why);
}

TEST(Distributed, OptionsAreChecked) {
  DistributedOptions how;
  how.rows_in_flight = 0;
  EXPECT_EQ(complaint([&] { how.validate(); }),
            "rows_in_flight = 0: must be a share of the rows, above 0 and at most 1");
  const std::vector<double> x(3), y(3);
  EXPECT_EQ(complaint([&] {
              shards_of(Examples{x, y}, 4);
            }),
            "shards = 4: must be at least 1, and at most the number of rows, 3");
}

TEST_F(SpreadSine, NoiseThatIsKnownIsNotLearned) {
  EstimatorOptions options = small(2);
  options.noise_std = {0.35};
  const Regressor model = learned(options, shards());
  for (const double variance : model.predict(training.x).noise_variance)
    EXPECT_NEAR(std::sqrt(variance), 0.35, 1e-12);
  EXPECT_NE(saved(model), alone(small(2)));
}

}  // namespace
}  // namespace postrider::distributed
