// Whose rows a temperature is found from.
#include <gtest/gtest.h>

#include <vector>

#include "postrider/network/trainer.h"

namespace postrider::network {
namespace {

TEST(TemperatureWiring, AWeightOfTwoIsARowTwice) {
  const std::vector<double> weights{2, 1, 1};
  const std::vector<Trainer::NoisyScores> once{{{{2, -1, 0.5}, {0.3, 0.2, 0.4}}, 0.1}};
  const std::vector<Trainer::NoisyScores> twice{{{{2, 2, -1, 0.5}, {0.3, 0.3, 0.2, 0.4}}, 0.1}};
  const std::vector<std::size_t> labels{0, 1, 0}, repeated{0, 0, 1, 0};
  const double found = class_temperature(once, 1, labels, 1, weights);
  EXPECT_DOUBLE_EQ(found, class_temperature(twice, 1, repeated));
  EXPECT_NE(found, class_temperature(once, 1, labels));
}

// The mean of their probabilities is what counts, each with its own noise.
TEST(TemperatureWiring, EveryNetworkSpeaks) {
  const Trainer::NoisyScores sure{{{3, -3}, {0.1, 0.1}}, 0.1}, vague{{{3, -3}, {5, 5}}, 0.1};
  const std::vector<std::size_t> labels{0, 1};
  const double both = class_temperature(std::vector{sure, vague}, 1, labels);
  EXPECT_NE(both, class_temperature(std::vector{sure, sure}, 1, labels));
  EXPECT_DOUBLE_EQ(both, class_temperature(std::vector{vague, sure}, 1, labels));
}

}  // namespace
}  // namespace postrider::network
