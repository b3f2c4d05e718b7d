#include "postrider/graph/hidden_states.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "complaint.h"
#include "postrider/error.h"

namespace postrider::graph {
namespace {

struct Case {
  std::size_t states, steps;
  std::vector<double> log_likelihoods, initial, transition;

  HiddenStates view() const { return {log_likelihoods, initial, transition}; }
};

std::vector<double> distribution(std::size_t size, std::mt19937_64& random) {
  std::vector<double> out;
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k)
    sum += out.emplace_back(std::exponential_distribution()(random));
  for (double& value : out) value /= sum;
  return out;
}

Case random_case(std::size_t states, std::size_t steps, unsigned seed) {
  std::mt19937_64 random(seed);
  Case out{states, steps, {}, distribution(states, random), {}};
  for (std::size_t k = 0; k < states; ++k) {
    const std::vector<double> row = distribution(states, random);
    out.transition.insert(out.transition.end(), row.begin(), row.end());
  }
  for (std::size_t i = 0; i < states * steps; ++i)
    out.log_likelihoods.push_back(std::normal_distribution(-3.0, 2.0)(random));
  return out;
}

// By the sum over all paths.
TEST(HiddenStates, AreWhatTheSumOverAllPathsSays) {
  const Case of = random_case(3, 6, 1);
  std::vector<double> probabilities(18, 0.0);
  double total = 0, best = 0;
  std::vector<std::size_t> best_path;
  for (std::size_t code = 0; code < 729; ++code) {
    std::vector<std::size_t> path;
    double p = 1;
    for (std::size_t t = 0, rest = code; t < 6; ++t, rest /= 3) {
      path.push_back(rest % 3);
      p *= t == 0 ? of.initial[path[0]] : of.transition[path[t - 1] * 3 + path[t]];
      p *= std::exp(of.log_likelihoods[t * 3 + path[t]]);
    }
    total += p;
    if (p > best) best = p, best_path = path;
    for (std::size_t t = 0; t < 6; ++t) probabilities[t * 3 + path[t]] += p;
  }
  const StateBeliefs found = state_beliefs(of.view());
  EXPECT_NEAR(found.log_evidence, std::log(total), 1e-12);
  EXPECT_EQ(found.most_probable_path, best_path);
  for (std::size_t i = 0; i < 18; ++i)
    EXPECT_NEAR(found.probabilities[i], probabilities[i] / total, 1e-13);
}

TEST(HiddenStates, NothingUnderflowsInLongChains) {
  Case of = random_case(4, 20000, 2);
  for (double& value : of.log_likelihoods) value -= 800;
  const StateBeliefs found = state_beliefs(of.view());
  EXPECT_TRUE(std::isfinite(found.log_evidence));
  for (std::size_t t = 0; t < 20000; t += 997) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += found.probabilities[t * 4 + k];
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(HiddenStates, ImpossibleStepsLeaveNoEvidence) {
  Case of = random_case(2, 3, 3);
  for (std::size_t k = 0; k < 2; ++k)
    of.log_likelihoods[2 + k] = -std::numeric_limits<double>::infinity();
  const StateBeliefs found = state_beliefs(of.view());
  EXPECT_EQ(found.log_evidence, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(found.probabilities.empty());
}

TEST(HiddenStates, RefuseWhatIsNoProbability) {
  Case of = random_case(2, 3, 4);
  of.transition = {0.5, 0.5, 0.7, 0.4};
  EXPECT_NE(complaint([&] { state_beliefs(of.view()); }).find("the sum of transition[1] = 1.1"),
            std::string::npos);
  of = random_case(2, 3, 4);
  of.initial = {1.5, -0.5};
  EXPECT_EQ(complaint([&] { state_beliefs(of.view()); }),
            "initial[0] = 1.5: must be a probability");
  of = random_case(2, 3, 4);
  of.log_likelihoods[3] = std::nan("");
  EXPECT_EQ(complaint([&] { state_beliefs(of.view()); }),
            "log_likelihoods[3] = nan: must be finite or minus infinity");
}

}  // namespace
}  // namespace postrider::graph
