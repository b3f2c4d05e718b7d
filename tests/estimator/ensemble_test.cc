#include "estimator/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "complaint.h"
#include "estimator/sine.h"
#include "files.h"
#include "postrider/regressor.h"
#include "train/fleet.h"

namespace postrider {
using namespace internal;
namespace {

EstimatorOptions three_members() {
  return {.hidden = {8},
          .ensemble_size = 3,
          .encoding = Encoding::standard,
          .training = {.max_epochs = 6}};
}

// Sixteen beliefs of 8192 weights, two floats each, are a MiB.
TEST(Ensemble, SmallNetworksFillAVector) {
  EXPECT_EQ(members_for(0, 1000000, 8192), 16U);
  EXPECT_LT(members_for(0, 1000000, 8193), 16U);
  EXPECT_EQ(members_for(3, 100, 50), 3U);
}

constexpr std::size_t kLarge = 100000;  // weights

TEST(Ensemble, OfLargeNetworksThereAreMoreWhereRowsAreFewer) {
  std::size_t before = members_for(0, 1, kLarge);
  EXPECT_GT(before, 4U);
  for (std::size_t rows = 2; rows < 1000000; rows *= 2) {
    const std::size_t members = members_for(0, rows, kLarge);
    EXPECT_LE(members, before);
    EXPECT_GE(members, 4U);
    before = members;
  }
  EXPECT_EQ(before, 4U);
  EXPECT_EQ(members_for(7, 1000000, kLarge), 7U);
  EXPECT_EQ(members_for(0, 1000000, kLarge, true), 4U);
  EXPECT_EQ(members_for(7, 1000000, kLarge, true), 7U);
}

// The fixed point of v = (v + noise) P/(T N), by iterating it, is the exact belief's noise P/N.
TEST(Ensemble, ThePowerMakesUpForFactorisedBeliefs) {
  constexpr double kNoise = 0.3, kClose = 1e-9;
  for (const double share : {0.01, 0.2, 0.5, 0.9}) {
    const std::size_t rows = 10000;
    const auto weights = static_cast<std::size_t>(share * 10000);
    const double power = power_for(0, weights, rows);
    double v = 1;
    for (int i = 0; i < 1000; ++i) v = (v + kNoise) * share / power;
    EXPECT_NEAR(v, kNoise * share, kClose) << share;
  }
  EXPECT_EQ(power_for(0, 1000, 10), 2);
  EXPECT_EQ(power_for(3.5, 1000, 10), 3.5);
}

class EnsembleTest : public NoisySine {};

TEST_F(EnsembleTest, MembersDifferAndAreMixed) {
  EstimatorOptions options = three_members();
  options.varying_noise = false;
  Regressor all(options);
  const std::vector<FitReport> reports = all.fit(training.x, training.y);
  ASSERT_EQ(reports.size(), 3U);
  ASSERT_EQ(all.ensemble_size(), 3U);
  EXPECT_EQ(complaint([&] { all.network(3); }), "member = 3: must be below 3");

  std::set<double> first_weights;
  for (std::size_t m = 0; m < 3; ++m) first_weights.insert(all.network(m).weight(0).mean());
  EXPECT_EQ(first_weights.size(), 3U);

  options.ensemble_size = 1;
  Regressor alone(options);
  alone.fit(training.x, training.y);
  EXPECT_EQ(alone.network().prior(0), all.network(0).prior(0)) << "the first has the seed itself";
  EXPECT_NE(alone.network().weight(0), all.network(0).weight(0))
      << "it is judged by the rows that others leave out, too";
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(all.noise_variance(m), all.noise_variance(0));

  const Forecast forecast = all.predict(held_out.x);
  double sum = 0;
  for (std::size_t i = 0; i < held_out.y.size(); ++i) {
    const double gap = held_out.y[i] - forecast.mean[i];
    EXPECT_GT(forecast.variance[i], forecast.noise_variance[i]);
    sum += -0.5 * (std::log(2 * M_PI * forecast.variance[i]) + gap * gap / forecast.variance[i]);
  }
  // A mixture of members that agree is close to the Gaussian with its moments.
  constexpr double kClose = 0.02;
  EXPECT_NEAR(all.log_likelihood(held_out.x, held_out.y),
              sum / static_cast<double>(held_out.y.size()), kClose);
}

TEST_F(EnsembleTest, ThreadsAndFilesGiveTheSameBits) {
  EstimatorOptions options = three_members();
  Regressor one(options);
  one.fit(training.x, training.y);
  options.training.threads = 4;
  Regressor four(options);
  four.fit(training.x, training.y);
  const Forecast expected = one.predict(held_out.x);
  EXPECT_EQ(four.predict(held_out.x).variance, expected.variance);
  const TemporaryFolder folder;
  one.save(folder.file("model"));
  Regressor loaded = Regressor::load(folder.file("model"));
  EXPECT_EQ(loaded.ensemble_size(), 3U);
  EXPECT_EQ(loaded.predict(held_out.x).variance, expected.variance);
  loaded.partial_fit(held_out.x, held_out.y);
  one.partial_fit(held_out.x, held_out.y);
  EXPECT_EQ(loaded.predict(held_out.x).variance, one.predict(held_out.x).variance);
}

// Stopped in the second member's third epoch: members side by side have all come so far; of those that are trained one after
// another, as with groups side by side, the third has not begun.
class StoppedEnsembleTest : public NoisySine, public testing::WithParamInterface<bool> {};

TEST_P(StoppedEnsembleTest, WhatWasStoppedGoesOn) {
  const bool side_by_side = GetParam();
  EstimatorOptions options = three_members();
  options.training.parallel_groups = side_by_side ? 1 : 2;
  Regressor whole(options);
  whole.fit(training.x, training.y);
  const TemporaryFolder folder;
  options.training.checkpoint = folder.file("checkpoint");
  options.training.resume = true;
  TrainingCallbacks callbacks;
  callbacks.progress = [](const EpochReport& report) {
    return !(report.member == 1 && report.epoch == 3);
  };
  Regressor stopped(options);
  EXPECT_EQ(stopped.fit(training.x, training.y, {}, callbacks).back().reason,
            FitReport::StopReason::cancelled);
  EXPECT_EQ(stopped.ensemble_size(), side_by_side ? 3U : 2U);
  std::size_t epochs = 0;
  callbacks.progress = [&](const EpochReport&) { return ++epochs > 0; };
  Regressor resumed(options);
  resumed.fit(training.x, training.y, {}, callbacks);
  // Three of each; or three of the second, and six of the third.
  EXPECT_EQ(epochs, side_by_side ? 3U * 3U : 3U + 6U);
  EXPECT_EQ(resumed.predict(held_out.x).variance, whole.predict(held_out.x).variance);
  EXPECT_EQ(resumed.out_of_fold_score()->log_likelihood, whole.out_of_fold_score()->log_likelihood);
}

INSTANTIATE_TEST_SUITE_P(Members, StoppedEnsembleTest, testing::Bool());

// Nothing in the numbers may hold a power this absurd.
TEST_F(EnsembleTest, TrainingThatDivergesAtOnceIsAnError) {
  constexpr double kAbsurdPower = 1e38;
  const DenseShape shape{
      {6, 6}, network::Activation::leaky_relu, 0.05, network::Precision::float32, 1};
  std::vector<Member> members = untrained_members(2, shape, 1, 1);
  const TrainingRows rows({training.x}, 1, network::Precision::float32);
  TrainerOptions options{.max_epochs = 500, .patience = 500};
  options.learn_noise = false;
  std::vector<TrainingJob> jobs;
  for (Member& member : members)
    jobs.push_back({member.network, {rows, training.y}, {.power = kAbsurdPower}});
  std::vector<TrainingOutcome> outcomes = fit_all(jobs, options);
  EXPECT_NE(trouble([&] {
              take_outcomes(members, outcomes);
            }).find("training diverged in its first epoch, and nothing was learned"),
            std::string::npos);
}

TEST(Ensemble, PowersAreChecked) {
  EXPECT_EQ(complaint([] { Regressor({.power = -1}); }),
            "power = -1: must be a number above 0 and at most 1000, or 0 to choose it");
}

}  // namespace
}  // namespace postrider
