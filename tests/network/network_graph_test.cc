// The sweep engine under the trainer against the graph engine under the trainer's definition: the
// same beliefs in every weight.
#include "network/network_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "postrider/network/trainer.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kSame = 1e-10;  // relative, after kEpochs
constexpr std::size_t kEpochs = 3, kRows = 40, kGroup = 8;
constexpr double kNoise = 0.05;

struct Rows {
  std::vector<double> inputs, variances, targets;
};

Rows draw(const NetworkOptions& options, bool uncertain) {
  RandomStream random(3, 0);
  Rows out;
  for (std::size_t n = 0; n < kRows; ++n) {
    for (std::size_t j = 0; j < options.inputs; ++j) {
      out.inputs.push_back(random.normal());
      if (uncertain) out.variances.push_back(random.uniform(0.1, 0.5));
    }
    for (std::size_t o = 0; o < options.outputs(); ++o)
      out.targets.push_back(std::sin(out.inputs[n * options.inputs]) + 0.2 * random.normal());
  }
  return out;
}

// Groups one after the other: the old message out, its examples one by one, the new message in.
std::vector<Gaussian> learn_on_graph(const Network& network, const Rows& rows) {
  const NetworkOptions& options = network.options();
  NetworkGraph graph(options, kNoise);
  std::vector<Gaussian> belief, stored((kRows / kGroup) * network.weight_count());
  for (std::size_t k = 0; k < network.weight_count(); ++k) belief.push_back(network.prior(k));
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch)
    for (std::size_t g = 0; g < kRows / kGroup; ++g) {
      std::vector<Gaussian> cavity;
      for (std::size_t k = 0; k < belief.size(); ++k) {
        cavity.push_back(belief[k] / stored[g * belief.size() + k]);
        graph.set_weight(k, cavity[k]);
      }
      for (std::size_t n = g * kGroup; n < (g + 1) * kGroup; ++n) {
        std::vector<Gaussian> inputs;
        for (std::size_t j = n * options.inputs; j < (n + 1) * options.inputs; ++j)
          inputs.push_back(rows.variances.empty()
                               ? Gaussian::point_mass(rows.inputs[j])
                               : Gaussian::from_moments(rows.inputs[j], rows.variances[j]));
        graph.learn(inputs,
                    std::span(rows.targets).subspan(n * options.outputs(), options.outputs()));
      }
      for (std::size_t k = 0; k < belief.size(); ++k) {
        belief[k] = graph.weight(k);
        stored[g * belief.size() + k] = belief[k] / cavity[k];
      }
    }
  return belief;
}

void expect_same(const NetworkOptions& options, bool uncertain) {
  const Rows rows = draw(options, uncertain);
  Network network(options);
  TrainerOptions training;
  training.stopping = TrainerOptions::Stopping::epochs;
  training.max_epochs = kEpochs;
  training.group_size = kGroup;
  training.shuffle = TrainerOptions::Shuffle::none;
  training.noise_variance = {kNoise};
  training.learn_noise = false;
  Trainer(network, training).fit(Inputs(rows.inputs).with_variances(rows.variances), rows.targets);

  const std::vector<Gaussian> expected = learn_on_graph(network, rows);
  double worst = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Gaussian found = network.weight(k);
    const double scale = std::max(std::abs(expected[k].tau()), std::sqrt(expected[k].rho()));
    worst = std::max({worst, std::abs(found.rho() - expected[k].rho()) / expected[k].rho(),
                      std::abs(found.tau() - expected[k].tau()) / scale});
  }
  EXPECT_LE(worst, kSame);
}

NetworkOptions shape(std::size_t inputs, const std::vector<std::size_t>& hidden,
                     std::size_t outputs, graph::Rule rule) {
  NetworkOptions out = NetworkOptions::dense(inputs, hidden, outputs);
  out.precision = Precision::float64;
  out.rule = rule;
  return out;
}

class BothRules : public testing::TestWithParam<graph::Rule> {};

TEST_P(BothRules, DenseNetworks) {
  expect_same(shape(8, {6, 5}, 1, GetParam()), false);
  expect_same(shape(3, {17, 4}, 2, GetParam()), false);
  expect_same(shape(5, {}, 2, GetParam()), false);
}

TEST_P(BothRules, UncertainInputs) { expect_same(shape(4, {9, 3}, 1, GetParam()), true); }

TEST_P(BothRules, WithoutBiases) {
  NetworkOptions options = shape(6, {6, 12}, 2, GetParam());
  for (Layer& layer : options.layers) layer.bias = false;
  expect_same(options, false);
}

TEST_P(BothRules, LinearHiddenLayersAndActivationPriors) {
  NetworkOptions options = shape(4, {5, 6, 3}, 2, GetParam());
  options.layers[1].activation = Activation::identity;
  for (Layer& layer : options.layers) layer.activation_prior_variance = 4;
  expect_same(options, false);
}

INSTANTIATE_TEST_SUITE_P(Engines, BothRules,
                         testing::Values(graph::Rule::direct, graph::Rule::conditioned),
                         [](const auto& rule) { return std::string(to_string(rule.param)); });

TEST(Engines, Rectifiers) {
  NetworkOptions options = shape(6, {10, 4}, 1, graph::Rule::conditioned);
  for (std::size_t l = 0; l < 2; ++l) options.layers[l].activation = Activation::relu;
  expect_same(options, false);
}

TEST(Graphviz, EveryWeightOnceWithItsBelief) {
  NetworkOptions options = shape(2, {3}, 1, graph::Rule::direct);
  Network network(options);
  network.set_prior(4, Gaussian::from_moments(1.25, 0.25));
  const std::string text = to_graphviz(network);
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("label=\"product\""), 3u * (2 + 1) + 1u * (3 + 1));
  EXPECT_EQ(count("label=\"leaky_relu\""), 3u);
  EXPECT_EQ(count("1.25 ± 0.5"), 1u);
}

}  // namespace
}  // namespace postrider::network
