#include "network/ensemble_prediction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "complaint.h"

namespace postrider::network {
using namespace internal;
namespace {

constexpr std::size_t kInputs = 5;

// No two networks alike in any weight.
std::vector<Network> networks_of(std::size_t count, const NetworkOptions& options) {
  std::vector<Network> out;
  RandomStream random(7, 0);
  for (std::size_t m = 0; m < count; ++m) {
    out.emplace_back(options);
    for (std::size_t k = 0; k < out.back().weight_count(); ++k)
      out.back().set_prior(
          k, Gaussian::from_moments(0.5 * random.normal(), random.log_uniform(0.01, 0.5)));
  }
  return out;
}

std::vector<const NetworkState*> states_of(const std::vector<Network>& networks) {
  std::vector<const NetworkState*> out;
  for (const Network& network : networks) out.push_back(&inside_of(network));
  return out;
}

NetworkOptions shape(Precision precision, const std::vector<std::size_t>& hidden = {9, 6},
                     std::size_t inputs = kInputs) {
  NetworkOptions out = NetworkOptions::dense(inputs, hidden, 2);
  out.precision = precision;
  return out;
}

// With zeros and, if asked for, missing values.
std::vector<double> rows_of(std::size_t count, bool some_missing, std::size_t inputs = kInputs) {
  RandomStream random(8, 0);
  std::vector<double> out;
  for (std::size_t i = 0; i < count * inputs; ++i) {
    const double draw = random.uniform();
    out.push_back(draw < 0.2 ? 0 : random.normal());
    if (some_missing && draw > 0.9) out.back() = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

// Sums of at most 10 terms in three layers, in another order: each is off by no more than its terms times
// the unit of rounding, and no layer here makes errors of the one before more than ten times larger.
double rounding_of(Precision precision) {
  const double unit = precision == Precision::float32 ? std::numeric_limits<float>::epsilon()
                                                      : std::numeric_limits<double>::epsilon();
  return 10 * (1 + 10 + 100) * unit;
}

void expect_as_one_by_one(const std::vector<Network>& networks, const std::vector<double>& x,
                          const std::vector<Network::OutputMoments>& found) {
  ASSERT_EQ(found.size(), networks.size());
  const double rounding = rounding_of(networks.front().options().precision);
  for (std::size_t m = 0; m < networks.size(); ++m) {
    SCOPED_TRACE(m);
    const Network::OutputMoments alone = networks[m].predict({x});
    ASSERT_EQ(found[m].mean.size(), alone.mean.size());
    ASSERT_EQ(found[m].variance.size(), alone.variance.size());
    for (std::size_t i = 0; i < alone.mean.size(); ++i) {
      const double scale = std::abs(alone.mean[i]) + std::sqrt(alone.variance[i]);
      ASSERT_NEAR(found[m].mean[i], alone.mean[i], rounding * scale) << i;
      ASSERT_NEAR(found[m].variance[i] / alone.variance[i], 1, rounding) << i;
    }
  }
}

TEST(EnsemblePrediction, IsThatOfEachNetwork) {
  Workers workers(1);
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const std::size_t count : {1U, 3U, 16U, 17U, 20U, 37U})
      for (const bool some_missing : {false, true}) {
        SCOPED_TRACE(testing::Message() << count << " networks, missing: " << some_missing);
        const std::vector<Network> networks = networks_of(count, shape(precision));
        const EnsemblePrediction all(states_of(networks));
        for (const std::size_t rows : {1U, 7U, 150U}) {
          const std::vector<double> x = rows_of(rows, some_missing);
          expect_as_one_by_one(networks, x, all.predict({x}, workers));
        }
      }
}

TEST(EnsemblePrediction, ThreadsAndOtherRowsDoNotChangeABit) {
  const std::vector<Network> networks = networks_of(20, shape(Precision::float32));
  const EnsemblePrediction all(states_of(networks));
  const std::vector<double> x = rows_of(300, true);
  Workers one(1), three(3);
  const std::vector<Network::OutputMoments> expected = all.predict({x}, one),
                                            found = all.predict({x}, three);
  for (std::size_t m = 0; m < networks.size(); ++m) {
    EXPECT_EQ(found[m].mean, expected[m].mean);
    EXPECT_EQ(found[m].variance, expected[m].variance);
  }
  for (const std::size_t row : {0U, 77U, 299U}) {
    const std::vector<Network::OutputMoments> alone =
        all.predict({std::span(x).subspan(row * kInputs, kInputs)}, one);
    for (std::size_t m = 0; m < networks.size(); ++m)
      for (std::size_t o = 0; o < 2; ++o) {
        EXPECT_EQ(alone[m].mean[o], expected[m].mean[2 * row + o]);
        EXPECT_EQ(alone[m].variance[o], expected[m].variance[2 * row + o]);
      }
  }
}

// Callers at a time share what is kept, and find what each alone would.
TEST(EnsemblePrediction, SeveralMayPredictAtATime) {
  const std::vector<Network> networks = networks_of(16, shape(Precision::float64));
  const EnsemblePrediction all(states_of(networks));
  const std::vector<double> x = rows_of(90, false);
  Workers one(1), callers(3);
  const std::vector<Network::OutputMoments> expected = all.predict({x}, one);
  std::vector<std::vector<Network::OutputMoments>> found(6);
  callers.run(found.size(), [&](std::size_t caller) {
    Workers own(2);
    found[caller] = all.predict({x}, own);
  });
  for (const std::vector<Network::OutputMoments>& each : found)
    for (std::size_t m = 0; m < networks.size(); ++m) EXPECT_EQ(each[m].mean, expected[m].mean);
}

// Sixteen small networks fill the lanes; one of whole vectors wins nothing, nor do few small ones.
TEST(EnsemblePrediction, IsPackedWhereThatTakesFewerInstructions) {
  const auto packed = [](std::size_t count, const NetworkOptions& options) {
    const std::vector<Network> networks = networks_of(count, options);
    return EnsemblePrediction(states_of(networks)).packed();
  };
  const NetworkOptions small = shape(Precision::float32);
  EXPECT_EQ(packed(1, small), 0U);
  EXPECT_EQ(packed(16, small), 16U);
  EXPECT_EQ(packed(17, small), 16U) << "the last one alone";
  EXPECT_EQ(packed(30, small), 30U);
  const NetworkOptions whole = shape(Precision::float32, {64, 64}, 64);
  EXPECT_EQ(packed(1, whole), 0U);
  EXPECT_EQ(packed(15, whole), 0U) << "lanes would be empty";
}

TEST(EnsemblePrediction, NetworksOfOtherShapesArePredictedOneByOne) {
  Workers workers(1);
  for (const NetworkOptions& other :
       {shape(Precision::float32, {8, 6}), shape(Precision::float64)}) {
    std::vector<Network> networks = networks_of(15, shape(Precision::float32));
    networks.push_back(networks_of(1, other).front());
    const EnsemblePrediction all(states_of(networks));
    EXPECT_EQ(all.packed(), 0U);
    const std::vector<double> x = rows_of(9, true);
    expect_as_one_by_one(networks, x, all.predict({x}, workers));
  }
}

TEST(EnsemblePrediction, RefusesWhatOneNetworkRefuses) {
  Workers workers(1);
  std::vector<Network> networks = networks_of(16, shape(Precision::float32));
  const std::vector<double> broken(kInputs + 1), endless(kInputs, HUGE_VAL), one(kInputs, 1);
  const EnsemblePrediction all(states_of(networks));
  for (const std::vector<double>& x : {broken, endless})
    EXPECT_EQ(complaint([&] { all.predict({x}, workers); }),
              complaint([&] { networks.front().predict({x}); }));
  // One network of all tells numbers that are none.
  for (std::size_t k = 0; k < networks[11].weight_count(); ++k)
    networks[11].set_prior(k, Gaussian::from_moments(1e18, 1));
  EXPECT_THROW(EnsemblePrediction(states_of(networks)).predict({one}, workers), Error);
}

}  // namespace
}  // namespace postrider::network
