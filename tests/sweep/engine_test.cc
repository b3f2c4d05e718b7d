#include "sweep/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "sweep/naive_network.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kNoise = 0.04;
// Relative, of a precision; of a natural mean in units of the belief's deviation or its own size.
constexpr double kDouble = 1e-10, kFloat = 2e-3;

struct Case {
  std::string name;
  std::vector<SweepLayer> layers;
};

std::vector<SweepLayer> dense(const std::vector<std::size_t>& widths, double slope, bool bias,
                              double activation_precision = 0) {
  std::vector<SweepLayer> out;
  for (std::size_t l = 1; l < widths.size(); ++l)
    out.push_back({widths[l - 1], widths[l], bias, l + 1 < widths.size() ? slope : 1.0,
                   activation_precision});
  return out;
}

std::vector<Case> cases() {
  return {{"83 weights", dense({8, 6, 5, 1}, 0.4, false)},
          {"1932 weights", dense({6, 6, 12, 48, 24, 4}, 0.1, false)},
          {"wide above narrow", dense({3, 40, 2}, 0.05, true)},
          {"narrow above wide", dense({37, 2, 33}, 0.5, true)},
          {"one layer", dense({5, 3}, 1, true)},
          {"linear layers", dense({5, 4, 3}, 1, true)},
          {"activation prior", dense({4, 20, 3, 2}, 0.2, true, 0.5)}};
}

// The same problem for the engine, in its type, and for the naive network.
template <class T>
struct Problem {
  std::vector<SweepLayer> layers;
  SweepEngine<T> engine;
  WeightMessages<T> beliefs;
  NaiveNetwork naive;
  std::vector<T> inputs, variances, targets, mean, variance;
  std::vector<NaiveExample> rows;
  StoredInputs<T> stored;
  std::vector<std::uint32_t> order;
  SweepRecord record;

  Problem(std::vector<SweepLayer> of, graph::Rule rule, std::size_t count, bool uncertain = false,
          SimdLevel level = SimdLevel::best())
      : layers(std::move(of)),
        engine(layers, rule, level),
        beliefs(engine.beliefs()),
        naive(layers, rule) {
    RandomStream random(7, 0);
    const std::vector<std::size_t> positions = engine.layout().positions(layers);
    std::size_t w = 0;
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (std::size_t k = 0; k < layers[l].weights(); ++k, ++w) {
        const double scale = 1.0 / static_cast<double>(layers[l].fan_in());
        const T rho = static_cast<T>(2 / scale);
        const T tau = static_cast<T>(std::sqrt(scale) * random.normal()) * rho;
        beliefs.tau[positions[w]] = tau;
        beliefs.rho[positions[w]] = rho;
        naive.tau[l][k] = static_cast<double>(tau);
        naive.rho[l][k] = static_cast<double>(rho);
      }
    for (std::size_t n = 0; n < count; ++n) {
      NaiveExample row;
      for (std::size_t j = 0; j < layers.front().inputs; ++j) {
        // One input in four is zero, as in sparse data.
        inputs.push_back(random.uniform() < 0.25 ? T{0} : static_cast<T>(random.normal()));
        row.mean.push_back(static_cast<double>(inputs.back()));
        if (uncertain) variances.push_back(static_cast<T>(random.uniform()));
        row.variance.push_back(uncertain ? static_cast<double>(variances.back()) : 0);
      }
      for (std::size_t o = 0; o < layers.back().units; ++o) {
        targets.push_back(static_cast<T>(std::sin(row.mean[0] + static_cast<double>(o)) +
                                         std::sqrt(kNoise) * random.normal()));
        row.target.push_back(static_cast<double>(targets.back()));
      }
      rows.push_back(row);
    }
    order.resize(count);
    std::iota(order.begin(), order.end(), 0u);
    mean.resize(targets.size());
    variance.resize(targets.size());
  }

  ExamplesView<T> examples() {
    stored = StoredInputs<T>::of_dense(inputs, variances, layers.front().inputs);
    return {stored.view(), targets, layers.back().units};
  }
  void learn(std::size_t block = 1, double power = 1) {
    const std::vector<T> noise(layers.back().units, static_cast<T>(kNoise));
    Workspace<T> workspace(layers);
    engine.learn(beliefs, examples(), order, {noise, block, static_cast<T>(power)},
                 {mean, variance}, workspace, record);
  }

  // The largest difference to the naive network's beliefs.
  double difference() const {
    const std::vector<std::size_t> positions = engine.layout().positions(layers);
    double worst = 0;
    std::size_t w = 0;
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (std::size_t k = 0; k < layers[l].weights(); ++k, ++w) {
        const double tau = naive.tau[l][k], rho = naive.rho[l][k];
        const double scale = std::max(std::abs(tau), std::sqrt(rho));
        const double apart =
            std::max(std::abs(static_cast<double>(beliefs.rho[positions[w]]) - rho) / rho,
                     std::abs(static_cast<double>(beliefs.tau[positions[w]]) - tau) / scale);
        worst = std::isnan(apart) ? apart : std::max(worst, apart);
        if (std::isnan(worst)) return worst;
      }
    return worst;
  }
};

template <class T>
double learned_difference(const Case& of, graph::Rule rule, bool uncertain, SimdLevel level) {
  Problem<T> problem(of.layers, rule, 60, uncertain, level);
  problem.learn();
  for (const NaiveExample& row : problem.rows) problem.naive.learn({row}, kNoise);
  return problem.difference();
}

class EveryLevel : public testing::TestWithParam<SimdLevel> {};

TEST_P(EveryLevel, LearnsWhatTheNaiveNetworkLearns) {
  for (const Case& of : cases())
    for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned})
      for (const bool uncertain : {false, true}) {
        SCOPED_TRACE(of.name + ", " + std::string(to_string(rule)) +
                     (uncertain ? ", uncertain inputs" : ""));
        EXPECT_LE(learned_difference<double>(of, rule, uncertain, GetParam()), kDouble);
        EXPECT_LE(learned_difference<float>(of, rule, uncertain, GetParam()), kFloat);
      }
}

TEST_P(EveryLevel, PredictsWithoutTouchingTheBeliefs) {
  for (const Case& of : cases()) {
    SCOPED_TRACE(of.name);
    Problem<double> problem(of.layers, graph::Rule::conditioned, 13, true, GetParam());
    const WeightMessages<double> before = problem.beliefs;
    Workspace<double> workspace(problem.layers);
    problem.engine.predict(problem.beliefs, problem.examples(), problem.order,
                           {problem.mean, problem.variance}, workspace);
    EXPECT_EQ(problem.beliefs.tau, before.tau);
    EXPECT_EQ(problem.beliefs.rho, before.rho);
    const std::size_t outputs = problem.layers.back().units;
    for (std::size_t n = 0; n < problem.rows.size(); ++n) {
      const NaiveNetwork::Pass pass = problem.naive.forward(problem.rows[n]);
      for (std::size_t o = 0; o < outputs; ++o) {
        EXPECT_NEAR(problem.mean[n * outputs + o], pass.front_mean.back()[o], kDouble);
        EXPECT_NEAR(problem.variance[n * outputs + o], pass.front_variance.back()[o],
                    kDouble * pass.front_variance.back()[o]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sweep, EveryLevel, testing::ValuesIn(SimdLevel::available()),
                         [](const auto& level) { return level.param.name(); });

// Gaussian noise, said through the interface for any other likelihood.
template <class T>
class GaussianObservation : public Observation<T> {
 public:
  explicit GaussianObservation(std::size_t targets) : targets_(targets) {}

  std::size_t targets_per_row() const override { return targets_; }
  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& record) override {
    for (std::size_t i = 0; i < row.mean.size(); ++i) {
      back.shift[i] = row.targets[i] - row.mean[i];
      back.least[i] = row.noise_variance[i];
      back.spread[i] = back.least[i] + row.variance[i];
    }
    ++record.guarded;
    return {static_cast<double>(row.targets[0]), 1};
  }

 private:
  std::size_t targets_;
};

TEST(SweepEngine, AnObservationTakesThePlaceOfGaussianNoise) {
  for (const Case& of : cases())
    for (const std::size_t block : {1u, 4u}) {
      SCOPED_TRACE(of.name + ", block " + std::to_string(block));
      Problem<double> problem(of.layers, graph::Rule::conditioned, 24);
      const std::size_t outputs = of.layers.back().units;
      GaussianObservation<double> observation(outputs);
      std::vector<Observed> observed(problem.rows.size());
      const std::vector<double> noise(outputs, kNoise);
      Workspace<double> workspace(problem.layers);
      problem.engine.learn(problem.beliefs, problem.examples(), problem.order,
                           {noise, block, 1, &observation},
                           {problem.mean, problem.variance, observed}, workspace, problem.record);
      for (std::size_t n = 0; n < problem.rows.size(); n += block)
        problem.naive.learn({problem.rows.begin() + static_cast<std::ptrdiff_t>(n),
                             problem.rows.begin() + static_cast<std::ptrdiff_t>(n + block)},
                            kNoise);
      EXPECT_LE(problem.difference(), kDouble);
      EXPECT_EQ(problem.record.guarded, problem.rows.size());
      for (std::size_t n = 0; n < problem.rows.size(); ++n)
        EXPECT_EQ(observed[n].log_likelihood, problem.targets[n * outputs]);
    }
}

TEST(SweepEngine, ABlockIsSweptFromOneSnapshot) {
  for (const std::size_t block : {2u, 4u, 8u})
    for (const Case& of : cases()) {
      SCOPED_TRACE(of.name + ", block " + std::to_string(block));
      Problem<double> problem(of.layers, graph::Rule::conditioned, 24);
      problem.learn(block);
      for (std::size_t n = 0; n < problem.rows.size(); n += block)
        problem.naive.learn({problem.rows.begin() + static_cast<std::ptrdiff_t>(n),
                             problem.rows.begin() + static_cast<std::ptrdiff_t>(n + block)},
                            kNoise);
      EXPECT_LE(problem.difference(), kDouble);
    }
}

TEST(SweepEngine, WhatDoesNotFillABlockIsSweptInSmallerOnes) {
  Problem<double> problem(cases()[2].layers, graph::Rule::conditioned, 15);
  problem.learn(8);
  std::size_t n = 0;
  for (const std::size_t size : {8u, 4u, 2u, 1u}) {
    problem.naive.learn({problem.rows.begin() + static_cast<std::ptrdiff_t>(n),
                         problem.rows.begin() + static_cast<std::ptrdiff_t>(n + size)},
                        kNoise);
    n += size;
  }
  EXPECT_LE(problem.difference(), kDouble);
  EXPECT_EQ(problem.record.examples, 15u);
}

TEST(SweepEngine, RaisesMessagesToAPower) {
  for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned}) {
    Problem<double> problem(cases()[2].layers, rule, 30);
    problem.learn(1, 1.5);
    for (const NaiveExample& row : problem.rows) problem.naive.learn({row}, kNoise, 1.5);
    EXPECT_LE(problem.difference(), kDouble);
  }
}

TEST(SweepEngine, AZeroInputLeavesItsWeightsAlone) {
  Problem<float> problem(dense({20, 17, 1}, 0.1, true), graph::Rule::conditioned, 40);
  for (std::size_t n = 0; n < problem.rows.size(); ++n) problem.inputs[n * 20 + 3] = 0;
  const WeightMessages<float> before = problem.beliefs;
  problem.learn();
  const LayerLayout& layout = problem.engine.layout().layers().front();
  for (std::size_t i = 0; i < 17; ++i) {
    EXPECT_EQ(problem.beliefs.tau[layout.index(i, 3)], before.tau[layout.index(i, 3)]);
    EXPECT_EQ(problem.beliefs.rho[layout.index(i, 3)], before.rho[layout.index(i, 3)]);
    EXPECT_GT(problem.beliefs.rho[layout.index(i, 4)], before.rho[layout.index(i, 4)]);
  }
}

TEST(SweepEngine, AWorkspaceForgetsTheVariancesOfEarlierInputs) {
  for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned}) {
    Problem<double> uncertain(cases()[2].layers, rule, 20, true),
        known(cases()[2].layers, rule, 20), fresh(cases()[2].layers, rule, 20);
    const std::vector<double> noise(known.layers.back().units, kNoise);
    Workspace<double> workspace(known.layers);
    for (Problem<double>* problem : {&uncertain, &known})
      problem->engine.learn(problem->beliefs, problem->examples(), problem->order, {noise},
                            {problem->mean, problem->variance}, workspace, problem->record);
    fresh.learn();
    EXPECT_EQ(known.beliefs.tau, fresh.beliefs.tau);
    EXPECT_EQ(known.beliefs.rho, fresh.beliefs.rho);
  }
}

TEST(SweepEngine, AMissingTargetTeachesNothing) {
  for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned}) {
    Problem<double> problem(dense({6, 9, 2}, 0.1, true), rule, 20);
    std::ranges::fill(problem.targets, std::numeric_limits<double>::quiet_NaN());
    const WeightMessages<double> before = problem.beliefs;
    problem.learn();
    EXPECT_EQ(problem.beliefs.tau, before.tau);
    EXPECT_EQ(problem.beliefs.rho, before.rho);
  }
}

// One term holds almost all of its sum's variance, where c1 minus that term is rounding alone.
TEST(SweepEngine, StaysProperWhereOneTermDominates) {
  for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned}) {
    Problem<float> problem(dense({4, 6, 1}, 0.1, true), rule, 200);
    for (std::size_t n = 0; n < problem.rows.size(); ++n) problem.inputs[n * 4] *= 1e6f;
    std::vector<float> before(problem.beliefs.rho.begin(), problem.beliefs.rho.end());
    problem.learn();
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(std::isfinite(problem.beliefs.tau[i]));
      EXPECT_GE(problem.beliefs.rho[i], before[i]);
    }
  }
}

TEST(SweepEngine, AllInputsZeroWithoutABiasTeachOnlyTheLayersAbove) {
  std::vector<SweepLayer> layers = dense({5, 7, 1}, 0.1, true);
  layers.front().bias = false;
  Problem<float> problem(layers, graph::Rule::conditioned, 10);
  std::ranges::fill(problem.inputs, 0.0f);
  const WeightMessages<float> before = problem.beliefs;
  problem.learn();
  const LayerLayout& first = problem.engine.layout().layers()[0];
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_EQ(problem.beliefs.tau[first.offset + i], before.tau[first.offset + i]);
  for (const float rho : problem.beliefs.rho) EXPECT_TRUE(rho > 0 && std::isfinite(rho));
}

TEST(SweepEngine, CountsLinearisedActivations) {
  Problem<double> problem(cases()[1].layers, graph::Rule::conditioned, 60);
  problem.learn();
  EXPECT_GT(problem.record.linearised, 0u);
  Problem<double> direct(cases()[1].layers, graph::Rule::direct, 60);
  direct.learn();
  EXPECT_EQ(direct.record.linearised, 0u);
}

// A unit without targets above it hears nothing: with two outputs, of which one is missing, none of
// the hidden ones is silent; with both missing, all are.
TEST(SweepEngine, CountsSilentUnits) {
  Problem<double> problem(dense({3, 5, 2}, 0.1, true), graph::Rule::conditioned, 4);
  problem.learn();
  EXPECT_EQ(problem.record.silent, 0u);
  const double missing = std::numeric_limits<double>::quiet_NaN();
  problem.targets[0] = problem.targets[2] = problem.targets[3] = missing;
  problem.record = {};
  problem.learn();
  EXPECT_EQ(problem.record.silent, 5u);  // those of the second row
}

TEST(SweepEngine, EveryOutputHasItsOwnNoise) {
  const std::vector<double> noise{0.04, 3};
  Problem<double> both(dense({3, 2}, 1, true), graph::Rule::conditioned, 20);
  Workspace<double> workspace(both.layers);
  both.engine.learn(both.beliefs, both.examples(), both.order, {noise}, {both.mean, both.variance},
                    workspace, both.record);
  // Outputs of one layer share nothing: each is learned as if it were alone.
  for (std::size_t o = 0; o < 2; ++o) {
    Problem<double> one(dense({3, 2}, 1, true), graph::Rule::conditioned, 20);
    const std::vector<double> same(2, noise[o]);
    one.engine.learn(one.beliefs, one.examples(), one.order, {same}, {one.mean, one.variance},
                     workspace, one.record);
    const LayerLayout& layout = one.engine.layout().layers().front();
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(both.beliefs.tau[layout.index(o, j)], one.beliefs.tau[layout.index(o, j)]);
      EXPECT_EQ(both.beliefs.rho[layout.index(o, j)], one.beliefs.rho[layout.index(o, j)]);
    }
  }
}

TEST(SweepEngine, TakesMessagesOutAndGivesThemBack) {
  Problem<float> problem(cases()[2].layers, graph::Rule::conditioned, 30);
  const WeightMessages<float> prior = problem.beliefs;
  WeightMessages<float> message = prior;  // to begin with the cavity
  problem.learn();
  const WeightMessages<float> learned = problem.beliefs;
  problem.engine.difference(learned, message.tau, message.rho);
  for (std::size_t i = 0; i < prior.size(); ++i) {
    EXPECT_EQ(message.tau[i], learned.tau[i] - prior.tau[i]);
    EXPECT_EQ(message.rho[i], learned.rho[i] - prior.rho[i]);
  }
  EXPECT_EQ(problem.engine.take_out(problem.beliefs, prior, message.tau, message.rho), 0u);
  EXPECT_EQ(problem.beliefs.tau, message.tau);
  EXPECT_EQ(problem.beliefs.rho, message.rho);
  for (std::size_t i = 0; i < prior.size(); ++i)
    EXPECT_NEAR(message.rho[i], prior.rho[i], 1e-6f * learned.rho[i]);
  // A message that is more precise than the belief can only be rounding.
  for (float& rho : message.rho) rho = 1e9f;
  EXPECT_EQ(problem.engine.take_out(problem.beliefs, prior, message.tau, message.rho),
            prior.size());
  EXPECT_EQ(message.rho, prior.rho);
}

}  // namespace
}  // namespace postrider::network
