#include "train/pack_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "train/problem.h"
#include "train/training_lane.h"

namespace postrider::network {
using namespace internal;
namespace {

// For weights and noise: the order of sums differs, in double.
constexpr double kRounding = 1e-7;

Problem for_likelihood(Likelihood likelihood, std::size_t rows) {
  Problem out = bent_plane(rows);
  if (likelihood == Likelihood::classes)
    for (double& y : out.y) y = y > 0 ? 1 : 0;
  return out;
}

std::vector<Network> networks_of(std::size_t count, Likelihood likelihood, Precision precision) {
  std::vector<Network> out;
  for (std::size_t m = 0; m < count; ++m) {
    NetworkOptions options =
        small_network(precision, {10, 8}, likelihood == Likelihood::varying_noise ? 2 : 1);
    options.seed = m + 1;
    out.emplace_back(options);
  }
  return out;
}

std::vector<StreamMember> members_of(std::vector<Network>& networks, Likelihood likelihood) {
  const std::vector<StreamReport::DriftRate> rates{{0, 0}, {0.01, 0}, {0, 0.02}, {0.002, 0.1}};
  std::vector<StreamMember> out;
  for (std::size_t m = 0; m < networks.size(); ++m)
    out.push_back({networks[m], {likelihood, 1, rates[m % rates.size()]}, {}, 3});
  return out;
}

RowsToLearn rows_of(const Problem& problem, const TrainingRows& inputs,
                    const std::vector<double>& weights = {}) {
  return {inputs, problem.y, weights};
}

// Side by side they learn what each would by itself.
TEST(PackStream, IsTheStreamOfEachNetwork) {
  constexpr std::size_t kNetworks = 13, kRows = 120;
  std::vector<double> weights(kRows, 1);
  for (std::size_t row = 0; row < kRows; row += 3) weights[row] = 0.4;
  for (const Likelihood likelihood :
       {Likelihood::gaussian, Likelihood::varying_noise, Likelihood::classes})
    for (const std::size_t horizon : {1u, 7u}) {
      const Problem problem = for_likelihood(likelihood, kRows);
      const TrainingRows inputs(problem.rows(), problem.inputs, Precision::float64);
      std::vector<Network> networks = networks_of(kNetworks, likelihood, Precision::float64);
      std::vector<Network> alone = networks;
      const TrainerOptions options{.horizon = horizon};
      std::vector<StreamMember> members = members_of(networks, likelihood);
      ASSERT_TRUE(can_stream_together(members, options));
      const std::unique_ptr<PackStream> stream = make_pack_stream(members, options);
      stream->learn(rows_of(problem, inputs, weights));
      const std::vector<StreamOutcome> outcomes = stream->learn(rows_of(problem, inputs));
      ASSERT_EQ(outcomes.size(), kNetworks);
      for (std::size_t m = 0; m < kNetworks; ++m) {
        Trainer trainer(alone[m], options, members[m].task);
        trainer.set_seen(3);
        inside_of(trainer).partial_fit(rows_of(problem, inputs, weights));
        const StreamReport report = inside_of(trainer).partial_fit(rows_of(problem, inputs));
        expect_close(beliefs_of(networks[m]), beliefs_of(alone[m]), kRounding);
        EXPECT_TRUE(outcomes[m].report.sound);
        EXPECT_EQ(outcomes[m].report.rows, kRows);
        EXPECT_EQ(outcomes[m].seen, trainer.seen());
        EXPECT_NEAR(outcomes[m].report.score, report.score, kRounding);
        EXPECT_NEAR(outcomes[m].report.noise_variance[0], report.noise_variance[0], kRounding);
        EXPECT_EQ(outcomes[m].report.silent, report.silent);
        ASSERT_EQ(outcomes[m].scores.by_row.size(), kRows);
        for (std::size_t row = 0; row < kRows; ++row)
          EXPECT_NEAR(outcomes[m].scores.by_row[row], inside_of(trainer).scores.by_row[row],
                      100 * kRounding);
      }
    }
}

TEST(PackStream, HoweverItIsCutTheResultIsTheSame) {
  const Problem problem = for_likelihood(Likelihood::varying_noise, 90);
  std::vector<Network> whole = networks_of(16, Likelihood::varying_noise, Precision::float32);
  std::vector<Network> cut = whole;
  const TrainingRows inputs(problem.rows(), problem.inputs, Precision::float32);
  const TrainerOptions options;
  const auto stream = make_pack_stream(members_of(whole, Likelihood::varying_noise), options);
  const std::vector<StreamOutcome> expected = stream->learn(rows_of(problem, inputs));
  const auto in_parts = make_pack_stream(members_of(cut, Likelihood::varying_noise), options);
  std::vector<StreamOutcome> last;
  for (std::size_t row = 0; row < problem.size(); row += 9) {
    const TrainingRows some({std::span(problem.x).subspan(2 * row, 18)}, 2, Precision::float32);
    last = in_parts->learn({some, std::span(problem.y).subspan(row, 9)});
  }
  for (std::size_t m = 0; m < whole.size(); ++m) {
    EXPECT_EQ(beliefs_of(cut[m]), beliefs_of(whole[m]));
    EXPECT_EQ(last[m].report.noise_variance, expected[m].report.noise_variance);
    EXPECT_EQ(last[m].seen, expected[m].seen);
  }
}

TEST(PackStream, IfOneIsUnsoundNoneLearns) {
  const Problem problem = bent_plane(30);
  std::vector<Network> networks = networks_of(16, Likelihood::gaussian, Precision::float32);
  const TrainingRows inputs(problem.rows(), 2, Precision::float32);
  const auto stream = make_pack_stream(members_of(networks, Likelihood::gaussian), {});
  const std::vector<StreamOutcome> before = stream->learn(rows_of(problem, inputs));
  std::vector<std::vector<Gaussian>> beliefs;
  for (const Network& network : networks) beliefs.push_back(beliefs_of(network));
  const std::vector<double> x(20, 1e30), y(10, 1e37);
  const TrainingRows far({x}, 2, Precision::float32);
  const std::vector<StreamOutcome> after = stream->learn({far, y});
  for (std::size_t m = 0; m < networks.size(); ++m) {
    EXPECT_FALSE(after[m].report.sound);
    EXPECT_EQ(after[m].report.noise_variance, before[m].report.noise_variance);
    EXPECT_EQ(after[m].seen, before[m].seen);
    EXPECT_EQ(beliefs_of(networks[m]), beliefs[m]);
  }
  EXPECT_TRUE(stream->learn(rows_of(problem, inputs)).front().report.sound) << "and it goes on";
}

TEST(PackStream, RowsWithoutATargetTeachNothing) {
  Problem problem = bent_plane(5);
  for (double& y : problem.y) y = std::numeric_limits<double>::quiet_NaN();
  std::vector<Network> networks = networks_of(16, Likelihood::gaussian, Precision::float64);
  std::vector<StreamMember> members = members_of(networks, Likelihood::gaussian);
  const std::vector<Gaussian> before = beliefs_of(networks[0]);
  const TrainingRows inputs(problem.rows(), 2, Precision::float64);
  const auto outcomes = make_pack_stream(members, {})->learn(rows_of(problem, inputs));
  EXPECT_EQ(beliefs_of(networks[0]), before);
  EXPECT_EQ(outcomes[0].scores.count, 0);
  EXPECT_TRUE(std::isnan(outcomes[0].scores.by_row[0]));
}

TEST(PackStream, OnlyNetworksThatAreAlikeStreamTogether) {
  std::vector<Network> networks = networks_of(16, Likelihood::gaussian, Precision::float32);
  std::vector<StreamMember> members = members_of(networks, Likelihood::gaussian);
  EXPECT_TRUE(can_stream_together(members, {}));
  EXPECT_FALSE(can_stream_together(members, {.block = 4}));
  EXPECT_FALSE(can_stream_together(std::span(members).first(1), {}));
  members[3].task.power = 2;
  EXPECT_FALSE(can_stream_together(members, {}));
  members[3].task = {Likelihood::classes};
  EXPECT_FALSE(can_stream_together(members, {}));
  Network other(small_network(Precision::float32, {9, 8}));
  std::vector<StreamMember> mixed = members_of(networks, Likelihood::gaussian);
  mixed.pop_back();
  mixed.push_back({other});
  EXPECT_FALSE(can_stream_together(mixed, {}));
}

}  // namespace
}  // namespace postrider::network
