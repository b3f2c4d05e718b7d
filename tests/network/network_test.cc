#include "postrider/network/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "complaint.h"
#include "network/network_state.h"
#include "network/same_network.h"
#include "postrider/error.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Tolerances of a prediction, in units of its standard deviation and relative to its variance.
constexpr double kDouble = 1e-12, kFloat = 2e-5;
// Four deviations of an average over this many random numbers.
constexpr double kManyDeviations = 4;

NetworkOptions small(Precision precision = Precision::float64) {
  NetworkOptions out = NetworkOptions::dense(3, {5, 4}, 2);
  out.precision = precision;
  return out;
}

std::vector<double> random_values(std::size_t count, std::uint64_t stream) {
  RandomStream random(3, stream);
  std::vector<double> out(count);
  for (double& value : out) value = random.normal();
  return out;
}

TEST(NetworkOptions, EveryFieldIsChecked) {
  const auto complaint_of = [](auto&& change) {
    NetworkOptions options = small();
    change(options);
    return complaint([&] { Network network(options); });
  };
  EXPECT_EQ(complaint_of([](auto&) {}), "no complaint");
  EXPECT_EQ(complaint_of([](auto& o) { o.inputs = 0; }), "inputs = 0: must be at least 1");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers.clear(); }),
            "layers = 0: must hold at least the output layer");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[1].units = 0; }),
            "layers[1].units = 0: must be at least 1");
  for (const double slope : {-0.1, 1.5, kNaN})
    EXPECT_EQ(complaint_of([&](auto& o) { o.layers[0].slope = slope; }).substr(0, 17),
              "layers[0].slope =");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[0].slope = -0.5; }),
            "layers[0].slope = -0.5: must lie between 0 and 1");
  for (const double variance : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_NE(complaint_of([&](auto& o) {
                o.layers[2].prior_variance = variance;
              }).find("must be a number above 0"),
              std::string::npos);
    EXPECT_NE(complaint_of([&](auto& o) {
                o.layers[2].activation_prior_variance = variance;
              }).find("must be a number above 0"),
              std::string::npos);
  }
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[2].prior_variance = -1; }),
            "layers[2].prior_variance = -1: must be a number above 0");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[1].activation_prior_variance = 0; }),
            "layers[1].activation_prior_variance = 0: must be a number above 0");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[1].mean_variance = -1; }),
            "layers[1].mean_variance = -1: must be a number of at least 0");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[1].mean_variance = 0; }), "no complaint");
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[2].activation = Activation::relu; }),
            "layers[2].activation = \"relu\": must be identity: the last layer holds the outputs");
  EXPECT_EQ(complaint_of([](auto& o) {
              o.rule = graph::Rule::direct;
              o.layers[1].activation = Activation::relu;
            }).substr(0, 72),
            "layers[1].slope = 0: must be above 0 with the direct rule, whose message");
  // A slope that is not used is not looked at.
  EXPECT_EQ(complaint_of([](auto& o) { o.layers[2].slope = kNaN; }), "no complaint");
}

TEST(NetworkOptions, DenseAndCounts) {
  const NetworkOptions options = small();
  EXPECT_EQ(options.outputs(), 2U);
  EXPECT_EQ(options.weights(), 5U * 4 + 4 * 6 + 2 * 5);
  EXPECT_EQ(options.layers.back().activation, Activation::identity);
  EXPECT_EQ(NetworkOptions().outputs(), 0U);
  EXPECT_EQ(Network(options).weight_count(), options.weights());
  EXPECT_EQ(to_string(Activation::leaky_relu), "leaky_relu");
  EXPECT_EQ(to_string(Activation::relu), "relu");
  EXPECT_EQ(to_string(Activation::identity), "identity");
}

// Every weight shows in the one sum it belongs to: with all weights known but one, the variance of
// that unit's sum is the weight's variance times its input squared.
TEST(Network, WeightsAreNumberedLayerUnitInputBias) {
  NetworkOptions options{
      .inputs = 2,
      .layers = {{.units = 3, .activation = Activation::identity},
                 {.units = 2, .activation = Activation::identity, .bias = false}},
      .precision = Precision::float64};
  Network network(options);
  ASSERT_EQ(network.weight_count(), 15U);
  constexpr double kKnown = 1e-30;  // variance of a weight that is as good as known
  const std::vector<double> row{10, 100};
  const double input[] = {10, 100, 1};
  for (std::size_t open = 0; open < 15; ++open) {
    for (std::size_t i = 0; i < 15; ++i)
      network.set_prior(i,
                        Gaussian::from_moments(static_cast<double>(i + 1), i == open ? 1 : kKnown));
    const Network::OutputMoments found = network.predict({row});
    for (std::size_t output = 0; output < 2; ++output) {
      double expected = 0;
      if (open < 9) {  // weight (unit, input) of the first layer reaches each output by one weight
        const double above = static_cast<double>(9 + output * 3 + open / 3 + 1);
        expected = above * above * input[open % 3] * input[open % 3];
      } else if ((open - 9) / 3 == output) {
        double hidden = 0;
        for (std::size_t j = 0; j < 3; ++j)
          hidden += static_cast<double>((open - 9) % 3 * 3 + j + 1) * input[j];
        expected = hidden * hidden;
      }
      EXPECT_NEAR(found.variance[output], expected, 1e-9 * (1 + expected)) << open << " " << output;
    }
  }
}

TEST(Network, PriorsHaveTheVariancesOfTheirFanIn) {
  NetworkOptions options = NetworkOptions::dense(99, {50}, 40);
  options.layers[1].bias = false;
  const Network network(options);
  const std::size_t first_layer = 100 * 50, all = first_layer + 50 * 40;
  const auto check_layer = [&](std::size_t from, std::size_t to, double fan_in) {
    double sum = 0, squares = 0;
    for (std::size_t i = from; i < to; ++i) {
      const Gaussian prior = network.prior(i);
      EXPECT_NEAR(prior.variance(), 2 / fan_in, 1e-6 / fan_in);
      EXPECT_EQ(network.weight(i), prior);
      sum += prior.mean();
      squares += prior.mean() * prior.mean();
    }
    const double count = static_cast<double>(to - from);
    EXPECT_NEAR(sum / count, 0, kManyDeviations * std::sqrt(1 / fan_in / count));
    EXPECT_NEAR(squares / count * fan_in, 1, kManyDeviations * std::sqrt(2 / count));
  };
  check_layer(0, first_layer, 100);
  check_layer(first_layer, all, 50);
}

TEST(Network, PriorsOfOnesOwn) {
  NetworkOptions options = small();
  options.layers[0].prior_variance = 3;
  options.layers[0].mean_variance = 0;
  Network network(options);
  EXPECT_NEAR(network.prior(7).variance(), 3, kDouble);
  EXPECT_EQ(network.prior(7).mean(), 0);

  const Gaussian own = Gaussian::from_moments(-2, 0.25);
  Network copy = network;
  network.set_prior(7, own);
  EXPECT_EQ(network.prior(7), own);
  EXPECT_EQ(network.weight(7), own);
  EXPECT_EQ(network.weight(6), copy.weight(6));
  EXPECT_NE(copy.weight(7), own) << "a copy stands on its own";
  copy = network;
  EXPECT_EQ(copy.weight(7), own);

  EXPECT_EQ(complaint([&] { network.set_prior(0, Gaussian::uniform()); }),
            "prior = \"uniform\": must be proper");
  EXPECT_NE(complaint([&] { network.set_prior(0, Gaussian::point_mass(1)); }), "no complaint");
  for (const auto& call : {std::function<void()>([&] { network.set_prior(54, own); }),
                           std::function<void()>([&] { network.weight(54); }),
                           std::function<void()>([&] { network.prior(54); })})
    EXPECT_EQ(complaint(call), "index = 54: must be below the number of weights, 54");

  // Proper as a double, but not as a float.
  Network floats(small(Precision::float32));
  for (const double variance : {1e-50, 1e50})
    EXPECT_NE(complaint([&] { floats.set_prior(0, Gaussian::from_moments(0, variance)); }),
              "no complaint");
}

TEST(Network, TheSeedDrawsTheMeans) {
  NetworkOptions options = small();
  const Network first(options), again(options);
  options.seed = 2;
  const Network other(options);
  std::size_t same = 0;
  for (std::size_t i = 0; i < first.weight_count(); ++i) {
    EXPECT_EQ(first.prior(i), again.prior(i));
    if (first.prior(i) == other.prior(i)) ++same;
  }
  EXPECT_EQ(same, 0U);
}

void expect_naive_prediction(const Network& network, const Inputs& rows, double tolerance) {
  const naive::Network naive = same_network(network);
  const std::size_t inputs = network.options().inputs, outputs = network.options().outputs();
  const Network::OutputMoments found = network.predict(rows);
  ASSERT_EQ(found.mean.size(), rows.values().size() / inputs * outputs);
  ASSERT_EQ(found.variance.size(), found.mean.size());
  for (std::size_t i = 0; i < found.mean.size(); ++i) {
    const naive::Moments expected =
        naive.predict(messages_of(rows, i / outputs, inputs))[i % outputs];
    const double variance = static_cast<double>(expected.variance);
    EXPECT_NEAR(found.mean[i], static_cast<double>(expected.mean), tolerance * std::sqrt(variance));
    EXPECT_NEAR(found.variance[i], variance, tolerance * variance);
  }
}

// Several shapes, so that lanes run across units and across inputs; known, uncertain and missing
// inputs; 37 rows are not a whole number of blocks.
TEST(Network, PredictsAsTheFormulasRead) {
  for (const Precision precision : {Precision::float64, Precision::float32})
    for (const auto& hidden : {std::vector<std::size_t>{}, {1}, {20}, {3, 17}, {33, 2, 5}}) {
      NetworkOptions options = NetworkOptions::dense(3, hidden, hidden.size() + 1);
      options.precision = precision;
      for (std::size_t l = 0; l + 1 < options.layers.size(); ++l) {
        options.layers[l].activation = static_cast<Activation>(l % 3);
        options.layers[l].bias = l != 1;
      }
      options.layers.front().activation_prior_variance = 2.5;
      const Network network(options);
      const double tolerance = precision == Precision::float64 ? kDouble : kFloat;
      std::vector<double> values = random_values(3 * 37, 0), variances = random_values(3 * 37, 1);
      for (double& variance : variances) variance *= variance;
      values[4] = 0;
      expect_naive_prediction(network, {values}, tolerance);
      expect_naive_prediction(network, Inputs(values).with_variances(variances), tolerance);
      for (const std::size_t missing : {0U, 5U, 6U, 7U, 8U, 110U}) values[missing] = kNaN;
      expect_naive_prediction(network, {values}, tolerance);
      expect_naive_prediction(network, Inputs(values).with_variances(variances), tolerance);
    }
}

TEST(Network, ARowsPredictionDoesNotDependOnOtherRows) {
  const Network network(small(Precision::float32));
  std::vector<double> values = random_values(3 * 21, 2);
  values[3] = 0;
  const Network::OutputMoments together = network.predict({values});
  for (std::size_t row = 0; row < 21; ++row) {
    const Network::OutputMoments alone =
        network.predict({std::span<const double>(values).subspan(3 * row, 3)});
    for (std::size_t o = 0; o < 2; ++o) {
      EXPECT_EQ(alone.mean[o], together.mean[2 * row + o]);
      EXPECT_EQ(alone.variance[o], together.variance[2 * row + o]);
    }
  }
  EXPECT_TRUE(network.predict({}).mean.empty());
}

TEST(Network, ThreadsGiveTheSameBits) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    const Network network(small(precision));
    const std::vector<double> values = random_values(3 * 1500, 3);
    const Network::OutputMoments one = network.predict({values}, 1);
    for (const unsigned threads : {2U, 3U, 8U}) {
      const Network::OutputMoments several = network.predict({values}, threads);
      EXPECT_EQ(several.mean, one.mean) << threads;
      EXPECT_EQ(several.variance, one.variance) << threads;
    }
  }
}

TEST(Network, InputsAreChecked) {
  const Network network(small()), floats(small(Precision::float32));
  const auto complaint_of = [&](const std::vector<double>& values,
                                const std::vector<double>& variances) {
    return complaint([&] { network.predict(Inputs(values).with_variances(variances)); });
  };
  EXPECT_EQ(complaint_of({1, 2}, {}),
            "inputs = 2: must be a whole number of rows of the network's inputs");
  EXPECT_EQ(complaint_of({1, 2, 3}, {1}), "variances = 1: must be as many as the inputs, or none");
  for (const double value : {kInfinity, -kInfinity})
    EXPECT_NE(complaint_of({1, 2, value}, {}).find("must be finite, or NaN for a missing value"),
              std::string::npos);
  for (const double variance : {-1.0, kNaN, kInfinity})
    EXPECT_NE(complaint_of({1, 2, 3}, {0, 0, variance}).find("must be numbers of at least 0"),
              std::string::npos);
  // A number as a double, but not as a float.
  EXPECT_NE(complaint([&] { floats.predict({std::vector<double>{1, 2, 1e39}}); }), "no complaint");
  EXPECT_NE(complaint([&] {
              const std::vector<double> values{1, 2, 3}, variances{0, 0, 1e39};
              floats.predict(Inputs(values).with_variances(variances));
            }),
            "no complaint");
}

TEST(Network, RowsMayHoldOnlyWhatIsNotZero) {
  const Network network(small());
  const std::vector<double> all{0, 0.5, 0, 0, 0, 0, -1, 0, 2};
  const std::vector<double> some{0.5, -1, 2};
  const std::vector<std::size_t> begins{0, 1, 1, 3};
  const std::vector<std::uint32_t> columns{1, 0, 2};
  const Network::OutputMoments dense = network.predict({all});
  const Network::OutputMoments sparse = network.predict({3, begins, columns, some});
  EXPECT_EQ(sparse.mean, dense.mean);
  EXPECT_EQ(sparse.variance, dense.variance);
}

TEST(Network, RowsThatHoldSomeAreChecked) {
  const Network network(small());
  const std::vector<double> values{1, 2};
  const auto complaint_of = [&](const std::vector<std::size_t>& begins,
                                const std::vector<std::uint32_t>& columns) {
    return complaint([&] { network.predict({3, begins, columns, values}); });
  };
  EXPECT_EQ(complaint_of({0, 2}, {0, 2}), "no complaint");
  EXPECT_NE(complaint_of({0, 2}, {2, 0}).find("must rise within a row"), std::string::npos);
  EXPECT_NE(complaint_of({0, 2}, {0, 3}).find("must rise within a row"), std::string::npos);
  EXPECT_NE(complaint_of({0, 2}, {0}).find("must be as many as the values"), std::string::npos);
  // Parts of rows begin and end where they like.
  EXPECT_EQ(complaint_of({0, 1}, {0, 1}), "no complaint");
  EXPECT_EQ(complaint_of({1, 2}, {0, 1}), "no complaint");
  EXPECT_NE(complaint_of({0, 3}, {0, 1}).find("begins"), std::string::npos);
  EXPECT_NE(complaint_of({}, {0, 1}).find("begins"), std::string::npos);
  EXPECT_NE(complaint_of({0, 2, 1, 2}, {0, 1}).find("begins"), std::string::npos);
}

TEST(Network, ALayersBeliefsAreTheWeightsInTheirPlaces) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Network network(small(precision));
    std::size_t index = 0;
    for (std::size_t l = 0; l < network.options().layers.size(); ++l)
      std::visit(
          [&](const auto& layer) {
            for (std::size_t i = 0; i < layer.units; ++i)
              for (std::size_t j = 0; j < layer.inputs; ++j, ++index) {
                const std::size_t at = i * layer.unit_stride + j * layer.input_stride;
                EXPECT_EQ(network.weight(index),
                          Gaussian::from_natural(static_cast<double>(layer.tau[at]),
                                                 static_cast<double>(layer.rho[at])));
              }
          },
          network.layer_beliefs(l));
    EXPECT_EQ(index, network.weight_count());
    EXPECT_NE(complaint([&] { network.layer_beliefs(network.options().layers.size()); }),
              "no complaint");
  }
}

TEST(Network, MemoryIsThatOfBeliefsAndPriors) {
  const std::size_t floats = Network(small(Precision::float32)).memory_bytes();
  EXPECT_EQ(Network(small()).memory_bytes(), 2 * floats);
  EXPECT_GE(floats, small().weights() * 4 * sizeof(float));
}

// A belief beyond all measure, as a damaged file may hold it.
TEST(Network, WhatIsNotANumberIsNotPredicted) {
  Network network(small(Precision::float32));
  auto& arrays = std::get<NetworkArrays<float>>(inside_of(network).arrays);
  const std::vector<double> rows{1, 1, 1};
  EXPECT_NO_THROW(network.predict({rows}));
  for (float& tau : arrays.belief.tau) tau = 1e30F;
  EXPECT_THROW(network.predict({rows}), Error);
}

}  // namespace
}  // namespace postrider::network
