// Blocks of eight examples, where floats leave out most reciprocals, and threads that share layers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/workers.h"
#include "sweep/engine.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr std::size_t kRows = 24;
constexpr double kNoise = 0.1;
// Beliefs of two types after three blocks: what rounding and the cubic's error have grown to.
constexpr double kFloat = 1e-4;

// One problem in either type. `dominant`: one input is so large that it makes up most of every sum.
template <class T>
struct Problem {
  std::vector<SweepLayer> layers;
  SweepEngine<T> engine;
  WeightMessages<T> beliefs;
  std::vector<T> inputs, targets, mean, variance;

  Problem(const std::vector<SweepLayer>& of, bool dominant, SimdLevel level = SimdLevel::best())
      : layers(of), engine(layers, graph::Rule::conditioned, level), beliefs(engine.beliefs()) {
    RandomStream random(3, 0);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const double fan_in = static_cast<double>(layers[l].fan_in());
      for (std::size_t i = 0; i < layers[l].units; ++i)
        for (std::size_t j = 0; j < layers[l].fan_in(); ++j) {
          const std::size_t at = engine.layout().layers()[l].index(i, j);
          // Through float, so that both types begin with the same numbers.
          const auto tau = static_cast<float>(0.5 * std::sqrt(fan_in) * random.normal());
          beliefs.rho[at] = static_cast<T>(0.5 * fan_in);
          beliefs.tau[at] = static_cast<T>(tau);
        }
    }
    for (std::size_t n = 0; n < kRows; ++n)
      for (std::size_t j = 0; j < layers.front().inputs; ++j) {
        const double scale = dominant && j == 2 ? 30 : 1;
        inputs.push_back(static_cast<T>(static_cast<float>(scale * random.normal())));
      }
    for (std::size_t n = 0; n < kRows * layers.back().units; ++n)
      targets.push_back(static_cast<T>(static_cast<float>(random.normal())));
    mean.resize(targets.size());
    variance.resize(targets.size());
  }

  void learn(double power = 1, Workers* workers = nullptr) {
    const std::vector<T> noise(layers.back().units, static_cast<T>(kNoise));
    std::vector<std::uint32_t> order(kRows);
    std::iota(order.begin(), order.end(), 0u);
    Workspace<T> workspace(layers);
    SweepRecord record;
    const auto rows = StoredInputs<T>::of_dense(inputs, {}, layers.front().inputs);
    engine.learn(beliefs, {rows.view(), targets, layers.back().units}, order,
                 {noise, kLargestBlock, static_cast<T>(power), nullptr, workers}, {mean, variance},
                 workspace, record);
  }
};

std::vector<SweepLayer> wide(std::size_t inputs, std::size_t first, std::size_t second) {
  return {{inputs, first, true, 0.1}, {first, second, true, 0.1}, {second, 2, true, 1}};
}

double largest_difference(const WeightMessages<float>& found, const WeightMessages<double>& exact) {
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double rho = exact.rho[i], tau = exact.tau[i];
    const double scale = std::max(std::abs(tau), std::sqrt(rho));
    const double apart = std::max(std::abs(static_cast<double>(found.rho[i]) - rho) / rho,
                                  std::abs(static_cast<double>(found.tau[i]) - tau) / scale);
    if (!(apart <= worst)) worst = apart;
  }
  return worst;
}

class BlockAtEveryLevel : public testing::TestWithParam<SimdLevel> {};

// Doubles divide one by one, and engine_test.cc compares them with a naive network.
TEST_P(BlockAtEveryLevel, FloatsLearnWhatDoublesLearn) {
  // More units than a tile has; fewer rows than are added at a time; few inputs, whose terms are large.
  for (const std::vector<SweepLayer>& layers :
       {wide(40, 300, 90), wide(5, 33, 270), wide(9, 7, 600)})
    for (const bool dominant : {false, true})
      for (const double power : {1.0, 0.5}) {
        Problem<float> found(layers, dominant, GetParam());
        Problem<double> exact(layers, dominant, GetParam());
        const WeightMessages<float> before = found.beliefs;
        found.learn(power);
        exact.learn(power);
        EXPECT_LE(largest_difference(found.beliefs, exact.beliefs), kFloat)
            << layers.front().units << " units, dominant " << dominant << ", power " << power;
        EXPECT_GT(largest_difference(before, exact.beliefs), 100 * kFloat) << "nothing was learned";
      }
}
INSTANTIATE_TEST_SUITE_P(Levels, BlockAtEveryLevel, testing::ValuesIn(SimdLevel::available()),
                         [](const auto& level) { return level.param.name(); });

// Both ways round: the second network's first layer has many inputs and few units.
TEST(Block, ThreadsChangeNoBit) {
  for (const std::vector<SweepLayer>& layers :
       {wide(300, 310, 290),
        std::vector<SweepLayer>{{20'000, 7, true, 0.1}, {7, 6'000, true, 1}}}) {
    Problem<float> alone(layers, true);
    alone.learn();
    for (const unsigned threads : {1u, 2u, 3u}) {
      Workers workers(threads);
      Problem<float> shared(layers, true);
      shared.learn(1, &workers);
      EXPECT_EQ(shared.beliefs.tau, alone.beliefs.tau) << threads << " threads";
      EXPECT_EQ(shared.beliefs.rho, alone.beliefs.rho) << threads << " threads";
      EXPECT_EQ(shared.mean, alone.mean) << threads << " threads";
    }
  }
}

TEST(Block, ThreadsTakeMessagesOutAndGiveThemBackAlike) {
  const std::vector<SweepLayer> layers = wide(300, 310, 290);
  Problem<float> alone(layers, false), shared(layers, false);
  const WeightMessages<float> prior = alone.beliefs;
  alone.learn();
  shared.beliefs = alone.beliefs;
  // A message that no belief holds is counted at every weight, also beyond the first chunk.
  WeightMessages<float> message(prior.size()), same(prior.size());
  message.rho.assign(prior.size(), 1e9f);
  same.rho = message.rho;
  Workers workers(3);
  EXPECT_EQ(alone.engine.take_out(alone.beliefs, prior, message.tau, message.rho), prior.size());
  EXPECT_EQ(shared.engine.take_out(shared.beliefs, prior, same.tau, same.rho, &workers),
            prior.size());
  EXPECT_EQ(shared.beliefs.rho, prior.rho);
  EXPECT_EQ(same.tau, message.tau);
  shared.beliefs.tau[0] += 1;
  shared.beliefs.tau.back() += 2;
  shared.engine.difference(shared.beliefs, same.tau, same.rho, &workers);
  EXPECT_EQ(same.tau[1], 0);
  EXPECT_NEAR(same.tau[0], 1, 1e-3);
  EXPECT_NEAR(same.tau.back(), 2, 1e-3);
}

}  // namespace
}  // namespace postrider::network
