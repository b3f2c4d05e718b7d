#include "train/rebuild.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "network/network_state.h"

namespace postrider::network {
using namespace internal;
namespace {

// Prior and messages are summed in long double here.
TEST(Rebuild, TheBeliefIsThePriorAndAllMessages) {
  constexpr std::size_t kGroups = 5;
  NetworkArrays<float> network(NetworkOptions::dense(3, {40}, 2));
  const std::size_t weights = network.belief.size();
  MessageStore<float> store(kGroups, weights);
  RandomStream random(4, 0);
  for (std::size_t g = 0; g < kGroups; ++g)
    for (std::size_t i = 0; i < weights; ++i) {
      store.tau(g)[i] = static_cast<float>(random.normal());
      store.rho(g)[i] = static_cast<float>(random.uniform());
    }
  Workers workers(2);
  const auto rebuilt = [&] {
    return rebuild(network.engine, network.prior, store, network.belief, 1, workers).front();
  };
  const double drift = rebuilt();
  EXPECT_GT(drift, 0) << "the belief had none of the messages";
  for (std::size_t i = 0; i < weights; ++i) {
    long double tau = network.prior.tau[i], rho = network.prior.rho[i];
    for (std::size_t g = 0; g < kGroups; ++g) {
      tau += store.tau(g)[i];
      rho += store.rho(g)[i];
    }
    EXPECT_FLOAT_EQ(network.belief.tau[i], static_cast<float>(tau));
    EXPECT_FLOAT_EQ(network.belief.rho[i], static_cast<float>(rho));
  }
  EXPECT_LT(rebuilt(), 1e-6) << "again, nothing changes";
}

// The same for messages about some inputs each: what a message is not about, it says nothing of.
TEST(Rebuild, MessagesAboutSomeInputs) {
  NetworkArrays<float> network(NetworkOptions::dense(30, {40, 300}, 2));
  const MessageShape shape = network.engine.message_shape();
  ASSERT_TRUE(shape.can_be_sparse());
  constexpr std::size_t kGroups = 7;
  RandomStream random(4, 0);
  InputLists lists;
  for (std::size_t g = 0; g < kGroups; ++g) {
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t j = 0; j < 30; ++j)
      if (random.uniform() < 0.3) inputs.push_back(j);
    inputs.push_back(30);
    lists.add(inputs);
  }
  MessageStore<float> store(shape, lists);
  const std::size_t weights = network.belief.size(), first = 31 * shape.width;
  std::vector<long double> tau(network.prior.tau.begin(), network.prior.tau.end());
  std::vector<long double> rho(network.prior.rho.begin(), network.prior.rho.end());
  for (std::size_t g = 0; g < kGroups; ++g) {
    std::size_t m = 0;
    const auto say = [&](std::size_t at) {
      tau[at] += store.tau(g)[m] = static_cast<float>(random.normal());
      rho[at] += store.rho(g)[m++] = static_cast<float>(random.uniform());
    };
    for (const std::uint32_t input : lists[g])
      for (std::size_t k = 0; k < shape.width; ++k) say(input * shape.width + k);
    for (std::size_t at = first; at < weights; ++at) say(at);
    ASSERT_EQ(m, store.tau(g).size());
  }
  Workers workers(2);
  rebuild(network.engine, network.prior, store, network.belief, 1, workers);
  for (std::size_t i = 0; i < weights; ++i) {
    ASSERT_FLOAT_EQ(network.belief.tau[i], static_cast<float>(tau[i])) << i;
    ASSERT_FLOAT_EQ(network.belief.rho[i], static_cast<float>(rho[i])) << i;
  }
}

TEST(Rebuild, ABeliefThatIsNotProperIsSaid) {
  NetworkArrays<double> network(NetworkOptions::dense(2, {}));
  EXPECT_TRUE(is_sound(network.belief));
  MessageStore<double> store(1, network.belief.size());
  store.rho(0)[1] = -2 * network.prior.rho[1];
  Workers workers(1);
  EXPECT_TRUE(std::isinf(
      rebuild(network.engine, network.prior, store, network.belief, 1, workers).front()));
  EXPECT_FALSE(is_sound(network.belief));
  network.belief = network.prior;
  network.belief.tau[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_sound(network.belief));
}

}  // namespace
}  // namespace postrider::network
