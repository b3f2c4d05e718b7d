#include "train/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "sweep/layout.h"
#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12;
constexpr std::size_t kOutputs = 2;

Network with_beliefs(const NetworkOptions& options, std::uint64_t seed) {
  Network out(options);
  RandomStream random(seed, 0);
  auto& arrays = std::get<NetworkArrays<double>>(inside_of(out).arrays);
  for (const std::size_t at : arrays.positions) {
    arrays.belief.rho[at] = arrays.prior.rho[at] * random.uniform(1, 5);
    arrays.belief.tau[at] = random.normal();
  }
  return out;
}

NetworkArrays<double>& arrays_of(Network& network) {
  return std::get<NetworkArrays<double>>(inside_of(network).arrays);
}

// The definition, weight by weight and row by row, in moments and natural parameters.
std::vector<Gaussian> drifted(const Network& network, const StreamReport::DriftRate& rate,
                              std::size_t from, std::size_t to, std::size_t walking) {
  std::vector<Gaussian> out = beliefs_of(network);
  const std::size_t fan_in = network.options().layers.front().units + 1;
  for (std::size_t seen = from + 1; seen <= to; ++seen) {
    if (seen % 16 == 0)
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double kept = std::pow(1 - rate.forgetting, 16);
        const Gaussian prior = network.prior(i);
        out[i] = Gaussian::from_natural(kept * out[i].tau() + (1 - kept) * prior.tau(),
                                        kept * out[i].rho() + (1 - kept) * prior.rho());
      }
    for (std::size_t o = 0; o < walking; ++o) {
      Gaussian& bias = out[out.size() - 1 - (kOutputs - 1 - o) * fan_in];
      bias = Gaussian::from_moments(bias.mean(), bias.variance() + rate.walk);
    }
  }
  return out;
}

TEST(Drift, ForgetsEverySixteenRowsAndWalksAtEach) {
  for (const StreamReport::DriftRate& rate :
       {StreamReport::DriftRate{0.01, 0}, {0, 0.3}, {0.003, 0.02}})
    for (const std::size_t walking : {std::size_t{1}, kOutputs}) {
      Network network = with_beliefs(small_network(Precision::float64, {6}, kOutputs), 3);
      NetworkArrays<double>& arrays = arrays_of(network);
      const std::vector<Gaussian> expected = drifted(network, rate, 10, 50, walking);
      Drift<double> drift(arrays, rate, walking);
      EXPECT_FALSE(drift.is_still());
      EXPECT_FALSE(drift.is_lazy());
      const std::vector<std::uint32_t> inputs{0, 1};
      for (std::size_t seen = 11; seen <= 50; ++seen) {
        drift.before_row(arrays.belief, inputs);
        drift.after_row(arrays.belief, seen);
      }
      drift.settle(arrays.belief);
      expect_close(beliefs_of(network), expected, kRounding);
    }
}

TEST(Drift, WithoutARateNothingHappens) {
  Network network = with_beliefs(small_network(Precision::float64), 4);
  NetworkArrays<double>& arrays = arrays_of(network);
  const std::vector<Gaussian> before = beliefs_of(network);
  Drift<double> drift(arrays, {}, 1);
  EXPECT_TRUE(drift.is_still());
  for (std::size_t seen = 1; seen <= 40; ++seen) drift.after_row(arrays.belief, seen);
  EXPECT_EQ(beliefs_of(network), before);
}

// A first layer of mostly zeros is drifted where rows touch it, and the rest when it is settled.
TEST(Drift, LazilyAppliedItIsTheSame) {
  constexpr std::size_t kInputs = 40, kRows = 100;
  NetworkOptions options = NetworkOptions::dense(kInputs, {32}, kOutputs);
  options.precision = Precision::float64;
  options.active_inputs = 2;
  const StreamReport::DriftRate rate{0.004, 0.01};
  Network network = with_beliefs(options, 5);
  NetworkArrays<double>& arrays = arrays_of(network);
  const std::vector<Gaussian> expected = drifted(network, rate, 0, kRows, kOutputs);
  Drift<double> drift(arrays, rate, kOutputs);
  ASSERT_TRUE(drift.is_lazy());
  RandomStream random(6, 0);
  const std::vector<Gaussian> before = beliefs_of(network);
  for (std::size_t seen = 0; seen < kRows; ++seen) {
    const auto input = static_cast<std::uint32_t>(random.below(kInputs / 2));
    drift.before_row(arrays.belief, std::vector{input});
    if (seen == 16) {
      EXPECT_EQ(network.weight(kInputs - 1), before[kInputs - 1]) << "no row has touched it";
      EXPECT_NE(network.weight(input), before[input]) << "a row is about to";
    }
    drift.after_row(arrays.belief, seen + 1);
    if (seen == 50) drift.settle(arrays.belief);
  }
  drift.settle(arrays.belief);
  expect_close(beliefs_of(network), expected, kRounding);
}

TEST(Drift, OfAPackIsThatOfEachNetwork) {
  const std::vector<StreamReport::DriftRate> rates{{0, 0}, {0.01, 0}, {0.001, 0.2}, {0, 0.05}};
  const NetworkOptions options = small_network(Precision::float64, {6}, kOutputs);
  std::vector<Network> networks;
  for (std::size_t m = 0; m < rates.size(); ++m) networks.push_back(with_beliefs(options, 10 + m));
  const std::size_t weights = networks.front().weight_count();
  WeightMessages<double> belief(weights * kPack), prior(weights * kPack);
  for (std::size_t k = 0; k < weights; ++k)
    for (std::size_t m = 0; m < kPack; ++m) {
      const Network& network = networks[m < networks.size() ? m : 0];
      belief.tau[k * kPack + m] = network.weight(k).tau();
      belief.rho[k * kPack + m] = network.weight(k).rho();
      prior.tau[k * kPack + m] = network.prior(k).tau();
      prior.rho[k * kPack + m] = network.prior(k).rho();
    }
  const PackDrift<double> drift(sweep_layers(options), rates, 1);
  for (std::size_t seen = 1; seen <= 40; ++seen) drift.after_row(belief, prior, seen);
  std::size_t free = 0;
  for (std::size_t at = 0; at < belief.size(); ++at) free += drift.keeps_prior(at) ? 0 : 1;
  EXPECT_EQ(free, kPack) << "one bias walks";
  for (std::size_t m = 0; m < networks.size(); ++m) {
    const std::vector<Gaussian> expected = drifted(networks[m], rates[m], 0, 40, 1);
    for (std::size_t k = 0; k < weights; ++k)
      EXPECT_TRUE(
          equal_within(Gaussian::from_natural(belief.tau[k * kPack + m], belief.rho[k * kPack + m]),
                       expected[k], {kRounding}))
          << "network " << m << ", weight " << k;
  }
}

TEST(Drift, OutputsOfTheNoiseDoNotWalk) {
  Network network(small_network(Precision::float64, {6}, 4));
  EXPECT_EQ(walking_outputs(Likelihood::varying_noise, arrays_of(network)), 2u);
  EXPECT_EQ(walking_outputs(Likelihood::gaussian, arrays_of(network)), 4u);
  EXPECT_EQ(walking_outputs(Likelihood::classes, arrays_of(network)), 4u);
}

}  // namespace
}  // namespace postrider::network
