#include "train/round.h"

#include <gtest/gtest.h>

#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

// A network with its rows and messages, ready for rounds.
class RoundTest : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 12, kGroupSize = 3;

  RoundTest() : network(small_network(Precision::float64)) {
    sweeps.load({rows, problem.y});
    sweeps.set_noise({0.2});
  }

  Rounds<double> rounds(std::size_t side_by_side, double damping = 0) {
    return {network, sweeps, *targets, workers, {side_by_side, 1, damping, 1}};
  }
  std::vector<double> messages_of(std::size_t group) {
    std::vector<double> out(store.tau(group).begin(), store.tau(group).end());
    out.insert(out.end(), store.rho(group).begin(), store.rho(group).end());
    return out;
  }

  const Problem problem = bent_plane(kRows);
  NetworkArrays<double> network;
  std::unique_ptr<Targets<double>> targets = make_targets<double>(Likelihood::gaussian, 1);
  RowSweeps<double> sweeps{network.engine, *targets};
  const TrainingRows rows{problem.rows(), 2, Precision::float64};
  const Groups groups{counted(kRows), kGroupSize, TrainerOptions::Shuffle::none, 1};
  MessageStore<double> store{groups.size(), network.belief.size()};
  Workers workers{2};
};

// What a round may write: messages and predictions of its own groups, and the beliefs.
TEST_F(RoundTest, NothingElseIsWritten) {
  Rounds<double> two = rounds(2);
  const std::vector<std::uint32_t> which{1, 3};
  two.refresh(which, groups, store, 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool is_of_round = g == 1 || g == 3;
    const std::vector<double> messages = messages_of(g);
    EXPECT_EQ(std::ranges::any_of(messages, [](double x) { return x != 0; }), is_of_round) << g;
    for (const std::uint32_t row : groups.rows(g))
      EXPECT_EQ(sweeps.predicted().variance[row] > 0, is_of_round) << row;
  }
}

// The change of the beliefs is the sum of what each group says by itself from the same snapshot.
TEST_F(RoundTest, ChangesFromOneSnapshotAreAdded) {
  constexpr double kRounding = 1e-12;
  const WeightMessages<double> snapshot = network.belief;
  Rounds<double> one = rounds(1), two = rounds(2);
  std::vector<double> sum(snapshot.size());
  for (const std::uint32_t g : {0U, 2U}) {
    one.refresh(std::vector{g}, groups, store, 0);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += network.belief.rho[i] - snapshot.rho[i];
      store.tau(g)[i] = store.rho(g)[i] = 0;
    }
    network.belief = snapshot;
  }
  two.refresh(std::vector<std::uint32_t>{0, 2}, groups, store, 0);
  for (std::size_t i = 0; i < sum.size(); ++i)
    EXPECT_NEAR(network.belief.rho[i] - snapshot.rho[i], sum[i], kRounding);
}

// With damping d, what was stored counts by d and what is said now, of power 1 - d, is added to it.
TEST_F(RoundTest, DampingKeepsItsShare) {
  constexpr double kDamping = 0.75, kRounding = 1e-12;
  Rounds<double> plain = rounds(1), damped = rounds(1, kDamping);
  const std::vector<std::uint32_t> which{1};
  plain.refresh(which, groups, store, 0);
  const std::vector<double> before = messages_of(1);
  const WeightMessages<double> belief = network.belief;
  damped.refresh(which, groups, store, 0);
  const std::vector<double> after = messages_of(1);
  // The belief moved by as much as the message did.
  for (std::size_t i = 0; i < belief.size(); ++i) {
    EXPECT_NEAR(network.belief.tau[i] - belief.tau[i], after[i] - before[i], kRounding);
    EXPECT_GE(after[belief.size() + i], kDamping * before[belief.size() + i] - kRounding);
  }
}

TEST_F(RoundTest, EventsAreTakenOnce) {
  Rounds<double> one = rounds(1);
  for (std::uint32_t g = 0; g < groups.size(); ++g) one.refresh(std::vector{g}, groups, store, 0);
  const RoundEvents first = one.take_events(), second = one.take_events();
  EXPECT_EQ(second.linearised + second.silent + second.guarded + second.bounded, 0U);
  EXPECT_LE(first.bounded, groups.size() * network.belief.size());
}

// Messages that hold only what rows touch are to the bit those that hold all, also with damping.
TEST(SparseRounds, AreThoseOfWholeMessages) {
  constexpr std::size_t kRows = 24, kInputs = 20;
  RandomStream random(9, 0);
  std::vector<double> values, y;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t j = 0; j < kInputs; ++j)
      values.push_back(random.uniform() < 0.8 ? 0 : random.normal());
    y.push_back(random.normal());
  }
  NetworkOptions options = NetworkOptions::dense(kInputs, {16}, 1);
  for (const std::size_t group_size : {1U, 5U})
    for (const double damping : {0.0, 0.4}) {
      SCOPED_TRACE(group_size);
      SCOPED_TRACE(damping);
      const TrainingRows rows({values}, kInputs, Precision::float32);
      const Groups groups(counted(kRows), group_size, TrainerOptions::Shuffle::none, 1);
      const auto learned = [&](bool sparse) {
        NetworkArrays<float> network(options);
        const auto targets = make_targets<float>(Likelihood::gaussian, 1);
        RowSweeps<float> sweeps(network.engine, *targets);
        sweeps.load({rows, y});
        sweeps.set_noise({0.2});
        Workers workers(1);
        Rounds<float> rounds(network, sweeps, *targets, workers, {1, 1, damping, 1});
        const MessageShape shape = network.engine.message_shape();
        EXPECT_TRUE(shape.can_be_sparse());
        InputLists lists =
            input_lists(groups, rows.prepared<float>()->view(), network.engine.layers().front());
        auto store = sparse ? std::make_unique<MessageStore<float>>(shape, std::move(lists))
                            : std::make_unique<MessageStore<float>>(groups.size(), shape.all());
        EXPECT_EQ(store->is_sparse(), sparse);
        for (int epoch = 0; epoch < 3; ++epoch)
          for (std::uint32_t g = 0; g < groups.size(); ++g)
            rounds.refresh(std::span(&g, 1), groups, *store, 0);
        std::vector<float> out(network.belief.tau.begin(), network.belief.tau.end());
        out.insert(out.end(), network.belief.rho.begin(), network.belief.rho.end());
        const Predictions<const float> predicted = sweeps.predicted();
        out.insert(out.end(), predicted.mean.begin(), predicted.mean.end());
        out.insert(out.end(), predicted.variance.begin(), predicted.variance.end());
        return out;
      };
      EXPECT_EQ(learned(true), learned(false));
    }
}

}  // namespace
}  // namespace postrider::network
