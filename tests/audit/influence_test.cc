#include <gtest/gtest.h>

#include <cmath>

#include "audit/problem.h"
#include "complaint.h"
#include "postrider/network/audit.h"

namespace postrider::network {
namespace {

constexpr double kRounding = 1e-12;

NetworkOptions in_double(NetworkOptions options) {
  options.precision = Precision::float64;
  return options;
}

// Without hidden units the slope is the weight.
TEST(Influence, OfALinearNetworkIsItsWeights) {
  Network network(in_double(NetworkOptions::dense(2, {})));
  network.set_prior(0, Gaussian::from_moments(3, 0.25));
  network.set_prior(1, Gaussian::from_moments(-4, 9));
  const auto found = input_influence(network);
  EXPECT_NEAR(found[0].slope, 3, kRounding);
  EXPECT_NEAR(found[0].std, 0.5, kRounding);
  EXPECT_NEAR(found[1].slope, -4, kRounding);
  EXPECT_NEAR(found[1].strength, 5, kRounding);
  EXPECT_EQ(found[0].nats, 0);
}

// One hidden unit and a sum around zero: on either side of the kink with probability 1/2. With weights
// (nearly) known the slope is 2 or 2/5 times 3.
TEST(Influence, OfOneUnitIsAverageOfItsSides) {
  constexpr double kKnown = 1e-14, kAlmost = 1e-6;
  NetworkOptions options = in_double(NetworkOptions::dense(1, {1}));
  options.layers[0].slope = 0.2;
  Network network(options);
  network.set_prior(0, Gaussian::from_moments(2, kKnown));
  network.set_prior(1, Gaussian::from_moments(0, kKnown));
  network.set_prior(2, Gaussian::from_moments(3, kKnown));
  network.set_prior(3, Gaussian::from_moments(0, kKnown));
  const InputInfluence found = input_influence(network)[0];
  EXPECT_NEAR(found.slope, 6 * 0.6, kAlmost);
  EXPECT_NEAR(found.strength, 6 * std::sqrt((1 + 0.04) / 2), kAlmost);
}

// The steeper one of two outputs is shown, and the strength is that of both.
TEST(Influence, OfSeveralOutputs) {
  constexpr double kKnown = 1e-14, kAlmost = 1e-6;
  Network network(in_double(NetworkOptions::dense(1, {}, 2)));
  for (std::size_t k = 0; k < 4; ++k) network.set_prior(k, Gaussian::from_moments(0, kKnown));
  network.set_prior(0, Gaussian::from_moments(3, kKnown));
  network.set_prior(2, Gaussian::from_moments(-4, kKnown));
  EXPECT_NEAR(input_influence(network)[0].slope, -4, kAlmost);
  EXPECT_NEAR(input_influence(network)[0].strength, 5, kAlmost);
  EXPECT_NEAR(input_influence(network, 1)[0].slope, 3, kAlmost);
  EXPECT_NEAR(input_influence(network, 1)[0].strength, 3, kAlmost);
}

// KL of the belief from the prior: (ratio - 1 - log ratio + gap^2/prior variance)/2.
TEST(Influence, NatsAreWhatTheWeightsHaveLearned) {
  constexpr double kClose = 1e-9;
  const AuditProblem problem = audit_problem(30, 5);
  const AuditedNetwork model = trained(in_double(NetworkOptions::dense(3, {})), problem);
  const auto found = input_influence(model.network);
  for (std::size_t j = 0; j < 3; ++j) {
    const Gaussian belief = model.network.weight(j), prior = model.network.prior(j);
    const double ratio = belief.variance() / prior.variance(), gap = belief.mean() - prior.mean();
    EXPECT_NEAR(found[j].nats, 0.5 * (ratio - 1 - std::log(ratio) + gap * gap / prior.variance()),
                kClose * found[j].nats);
  }
}

TEST(Influence, RanksInputsAsTheDataWasMade) {
  const AuditedNetwork model = trained(NetworkOptions::dense(3, {12}), audit_problem(400, 5));
  const auto found = input_influence(model.network);
  EXPECT_GT(found[0].strength, 2 * found[1].strength);
  EXPECT_GT(found[1].strength, 1.3 * found[2].strength);
  EXPECT_NEAR(found[1].slope, 0.25, 0.1);  // as it was made, in units of deviation 1
  for (const InputInfluence& one : found) EXPECT_GT(one.nats, 0);
}

TEST(Influence, RefusesMoreOutputsThanThereAre) {
  const Network network(NetworkOptions::dense(2, {3}));
  EXPECT_EQ(complaint([&] { input_influence(network, 2); }),
            "outputs = 2: must not exceed those of the network");
}

}  // namespace
}  // namespace postrider::network
