// That what a caller says of one layer or row is not taken of another.
#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "postrider/network/network.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr double kRounding = 1e-12;

TEST(NetworkWiring, EveryLayerHasItsOwnPrior) {
  NetworkOptions options = NetworkOptions::dense(3, {4, 2});
  options.precision = Precision::float64;
  const std::vector<double> variances{3, 0.5, 7}, spreads{0, 1e-20, 0};
  for (std::size_t l = 0; l < 3; ++l) {
    options.layers[l].prior_variance = variances[l];
    options.layers[l].mean_variance = spreads[l];
  }
  const Network network(options);
  const std::vector<std::size_t> weights{4 * (3 + 1), 2 * (4 + 1), 2 + 1};
  std::size_t k = 0;
  for (std::size_t l = 0; l < 3; ++l)
    for (std::size_t i = 0; i < weights[l]; ++i, ++k) {
      EXPECT_NEAR(network.prior(k).variance(), variances[l], kRounding) << k;
      EXPECT_EQ(network.prior(k).mean() == 0, spreads[l] == 0) << k;
    }
  EXPECT_EQ(k, network.weight_count());
}

// Rows are shared out in some hundreds.
TEST(NetworkWiring, RowsFarDownAreTheirOwn) {
  constexpr std::size_t kRows = 700, kInputs = 2, kOutputs = 2;
  const Network network(NetworkOptions::dense(kInputs, {3}, kOutputs));
  RandomStream random(1, 0);
  std::vector<double> values, variances;
  for (std::size_t i = 0; i < kRows * kInputs; ++i) {
    values.push_back(random.normal());
    variances.push_back(random.uniform());
  }
  for (const unsigned threads : {1U, 2U}) {
    const Network::OutputMoments all =
        network.predict(Inputs(values).with_variances(variances), threads);
    for (const std::size_t row : {0U, 255U, 256U, 512U, 699U}) {
      const Network::OutputMoments one = network.predict(
          Inputs(std::span(values).subspan(row * kInputs, kInputs))
              .with_variances(std::span(variances).subspan(row * kInputs, kInputs)));
      for (std::size_t o = 0; o < kOutputs; ++o) {
        EXPECT_EQ(all.mean[row * kOutputs + o], one.mean[o]) << row;
        EXPECT_EQ(all.variance[row * kOutputs + o], one.variance[o]) << row;
      }
    }
  }
}

}  // namespace
}  // namespace postrider::network
