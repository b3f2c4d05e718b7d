#include "train/row_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "base/random.h"
#include "postrider/network/trainer.h"
#include "train/drift.h"
#include "train/problem.h"
#include "train/training_lane.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kRounding = 1e-9;
constexpr std::uint64_t kSeed = 7;

TrainerOptions constant_noise(std::size_t horizon = 1) {
  return {.noise_variance = {0.3}, .learn_noise = false, .seed = kSeed, .horizon = horizon};
}

NetworkArrays<double>& arrays_of(Network& network) {
  return std::get<NetworkArrays<double>>(inside_of(network).arrays);
}

std::size_t bytes_of(Network& network, std::size_t blocks) {
  return blocks * 2 * arrays_of(network).belief.size() * sizeof(double);
}

// The definition, with streams that have no window: one that drifts for new rows, and one that does not for those
// that are refreshed, which count by sample weights. Messages forget one by one.
class Naive {
 public:
  Naive(Network& network, std::size_t capacity, std::size_t block, double forgetting)
      : belief_(arrays_of(network).belief),
        capacity_(capacity),
        block_(block),
        keep_(std::pow(1 - forgetting, 16)),
        stream_(network, constant_noise(block), {Likelihood::gaussian, 1, {forgetting, 0}}),
        again_(network, constant_noise(block)) {}

  void learn(const Problem& problem) {
    for (std::size_t first = 0; first < problem.size(); first += block_) {
      Block block{problem, first, std::min(block_, problem.size() - first), {}, 1};
      block.message = WeightMessages<double>(belief_.size());
      for (std::size_t row = first; row < first + block.count; ++row)
        learn_row(problem, row, block);
      if (blocks_.size() == capacity_) blocks_.pop_front();
      blocks_.push_back(block);
      if (blocks_.size() == 1) continue;
      RandomStream random(kSeed, seen_);
      for (int k = 0; k < 2; ++k) refresh(blocks_[random.below(blocks_.size() - 1)]);
    }
  }

 private:
  struct Block {
    const Problem& problem;
    std::size_t first, count;
    WeightMessages<double> message;
    double power;
  };

  static void scale(Block& block, double by) {
    for (double& each : block.message.tau) each *= by;
    for (double& each : block.message.rho) each *= by;
    block.power *= by;
  }

  // What is forgotten after a row is no part of what it said.
  void learn_row(const Problem& problem, std::size_t row, Block& block) {
    const WeightMessages<double> before = belief_;
    stream_.partial_fit({std::span(problem.x).subspan(2 * row, 2)},
                        std::span(problem.y).subspan(row, 1));
    const bool forgets = ++seen_ % 16 == 0;
    for (std::size_t i = 0; i < belief_.size(); ++i) {
      block.message.tau[i] *= forgets ? keep_ : 1;
      block.message.rho[i] *= forgets ? keep_ : 1;
    }
    // After = k (before + message) + (1 - k) prior.
    const double k = forgets ? keep_ : 1;
    for (std::size_t i = 0; i < belief_.size(); ++i) {
      block.message.tau[i] += belief_.tau[i] - k * before.tau[i] - (1 - k) * prior_tau(i);
      block.message.rho[i] += belief_.rho[i] - k * before.rho[i] - (1 - k) * prior_rho(i);
    }
    if (!forgets) return;
    block.power *= keep_;
    for (Block& other : blocks_) scale(other, keep_);
  }

  void refresh(Block& block) {
    for (std::size_t i = 0; i < belief_.size(); ++i) {
      belief_.tau[i] -= block.message.tau[i];
      belief_.rho[i] -= block.message.rho[i];
    }
    const WeightMessages<double> without = belief_;
    const std::vector<double> weights(block.count, block.power);
    again_.partial_fit({std::span(block.problem.x).subspan(2 * block.first, 2 * block.count)},
                       std::span(block.problem.y).subspan(block.first, block.count), weights);
    for (std::size_t i = 0; i < belief_.size(); ++i) {
      block.message.tau[i] = belief_.tau[i] - without.tau[i];
      block.message.rho[i] = belief_.rho[i] - without.rho[i];
    }
  }

  double prior_tau(std::size_t i) const { return priors().tau[i]; }
  double prior_rho(std::size_t i) const { return priors().rho[i]; }
  const WeightMessages<double>& priors() const { return *prior_; }

 public:
  void set_prior(const WeightMessages<double>& prior) { prior_ = &prior; }

 private:
  WeightMessages<double>& belief_;
  const WeightMessages<double>* prior_ = nullptr;
  std::size_t capacity_, block_, seen_ = 0;
  double keep_;
  Trainer stream_, again_;
  std::deque<Block> blocks_;
};

TEST(RowWindow, DoesWhatItsDefinitionSays) {
  for (const double forgetting : {0.0, 0.004})
    for (const std::size_t horizon : {1u, 4u}) {
      // A block keeps its messages' powers one by one only if no row of it is older than another by a time of
      // forgetting: blocks of four end where all forget.
      const Problem problem = bent_plane(72);
      Network network(small_network(Precision::float64)), other(small_network(Precision::float64));
      TrainerOptions options = constant_noise(horizon);
      options.stream_memory = bytes_of(network, 10) + 1;
      Trainer trainer(network, options, {Likelihood::gaussian, 1, {forgetting, 0}});
      for (std::size_t row = 0; row < problem.size(); row += 24)
        trainer.partial_fit({std::span(problem.x).subspan(2 * row, 48)},
                            std::span(problem.y).subspan(row, 24));
      Naive naive(other, 10, horizon, forgetting);
      naive.set_prior(arrays_of(other).prior);
      naive.learn(problem);
      expect_close(beliefs_of(network), beliefs_of(other), kRounding);
    }
}

TEST(RowWindow, WithoutRoomForARowThereIsNone) {
  const Problem problem = bent_plane(40);
  Network network(small_network(Precision::float64)), other(small_network(Precision::float64));
  TrainerOptions options = constant_noise();
  Trainer plain(other, options);
  options.stream_memory = bytes_of(network, 1) - 1;
  Trainer trainer(network, options);
  EXPECT_EQ(trainer.partial_fit(problem.rows(), problem.y).score,
            plain.partial_fit(problem.rows(), problem.y).score);
  EXPECT_EQ(beliefs_of(network), beliefs_of(other));
}

// On rows of which each says little about the others, to learn them twice is not to count them twice.
TEST(RowWindow, RefreshedRowsDoNotCountTwice) {
  const Problem problem = bent_plane(200);
  Network network(small_network(Precision::float64, {}));
  TrainerOptions options = constant_noise();
  options.stream_memory = bytes_of(network, 1000);
  Trainer trainer(network, options);
  trainer.partial_fit(problem.rows(), problem.y);
  // One weight of a standard normal input: the precision is the prior's and that of two hundred rows.
  for (std::size_t i = 0; i < 3; ++i) {
    const double gained = network.weight(i).rho() - network.prior(i).rho();
    EXPECT_NEAR(gained, 200 / 0.3, 0.35 * 200 / 0.3);
  }
}

TEST(RowWindow, ACallThatIsUndoneEmptiesIt) {
  const Problem problem = bent_plane(60);
  Network network(small_network(Precision::float32));
  TrainerOptions options = constant_noise();
  options.stream_memory = std::size_t{1} << 20;
  Trainer trainer(network, options);
  trainer.partial_fit(problem.rows(), problem.y);
  const std::vector<Gaussian> before = beliefs_of(network);
  trainer.partial_fit(problem.rows(), problem.y);
  inside_of(trainer).undo_partial_fit();
  EXPECT_EQ(beliefs_of(network), before);
  // As a stream that goes on with these beliefs and an empty window.
  Network copy = network;
  Trainer fresh(copy, options);
  fresh.set_seen(60);
  EXPECT_EQ(trainer.partial_fit(problem.rows(), problem.y).score,
            fresh.partial_fit(problem.rows(), problem.y).score);
  EXPECT_EQ(beliefs_of(network), beliefs_of(copy));
}

TEST(RowWindow, UnsoundRowsEmptyIt) {
  const Problem problem = bent_plane(30);
  Network network(small_network(Precision::float32));
  TrainerOptions options;
  options.stream_memory = std::size_t{1} << 20;
  Trainer trainer(network, options);
  trainer.partial_fit(problem.rows(), problem.y);
  const std::vector<Gaussian> before = beliefs_of(network);
  const std::vector<double> x(20, 1e30), y(10, 1e37);
  EXPECT_FALSE(trainer.partial_fit({x}, y).sound);
  EXPECT_EQ(beliefs_of(network), before);
  EXPECT_TRUE(trainer.partial_fit(problem.rows(), problem.y).sound);
}

// Missing inputs, classes and varying noise go through it as well.
TEST(RowWindow, TakesAllKindsOfRows) {
  Problem problem = bent_plane(80);
  for (std::size_t i = 0; i < problem.x.size(); i += 7) problem.x[i] = std::nan("");
  Problem labels = problem;
  for (double& y : labels.y) y = y > 0 ? 1 : 0;
  for (const Likelihood likelihood : {Likelihood::varying_noise, Likelihood::classes}) {
    const bool of_classes = likelihood == Likelihood::classes;
    Network network(small_network(Precision::float32, {6}, of_classes ? 1 : 2));
    TrainerOptions options{.horizon = of_classes ? 1u : 5u};
    options.stream_memory = std::size_t{1} << 20;
    Trainer trainer(network, options, {likelihood, 1, {1e-3, 0}});
    const Problem& rows = of_classes ? labels : problem;
    const double first = trainer.partial_fit(rows.rows(), rows.y).score;
    const StreamReport second = trainer.partial_fit(rows.rows(), rows.y);
    EXPECT_TRUE(second.sound);
    EXPECT_GT(second.score, first);
  }
}

}  // namespace
}  // namespace postrider::network
