#include "train/extrapolation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "postrider/network/trainer.h"
#include "train/problem.h"

namespace postrider::network {
using namespace internal;
namespace {

WeightMessages<double> messages(std::vector<double> means, std::vector<double> precisions) {
  WeightMessages<double> out(means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    out.rho[i] = precisions[i];
    out.tau[i] = means[i] * precisions[i];
  }
  return out;
}

double mean(const WeightMessages<double>& of, std::size_t i) { return of.tau[i] / of.rho[i]; }

// Two weights of two networks side by side, of which the second one's means stay.
TEST(Extrapolation, MeansMoveByAShareOfTheirLastStep) {
  Extrapolation<double> ahead(messages({0, 1, 2, 3}, {1, 1, 1, 1}), 2);
  WeightMessages<double> belief = messages({4, 5, 1, 7}, {2, 4, 8, 16});
  const WeightMessages<double> before = belief;
  ahead.put_in(std::vector<double>{0.5, 0}, belief);
  EXPECT_DOUBLE_EQ(mean(belief, 0), 4 + 0.5 * 4);
  EXPECT_DOUBLE_EQ(mean(belief, 1), 5);
  EXPECT_DOUBLE_EQ(mean(belief, 2), 1 - 0.5 * 1);
  EXPECT_DOUBLE_EQ(mean(belief, 3), 7);
  EXPECT_EQ(belief.rho, before.rho);
  ahead.take_out(belief);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(belief.tau[i], before.tau[i]);
  // The next step begins where this one ended, wherever the means had run ahead to.
  belief = messages({5, 5, 1, 7}, {2, 4, 8, 16});
  ahead.put_in(std::vector<double>{0.5, 0.5}, belief);
  EXPECT_DOUBLE_EQ(mean(belief, 0), 5 + 0.5 * 1);
  EXPECT_DOUBLE_EQ(mean(belief, 1), 5) << "a mean that no longer moves stays";
}

// The noise is given and the network linear, so that what is learned has one fixed point; both ways come to it.
TEST(Extrapolation, WhatIsLearnedInTheEndIsTheSame) {
  const Problem problem = bent_plane(40);
  std::vector<std::vector<Gaussian>> found;
  for (const double share : {0.0, 0.8}) {
    Network network(small_network(Precision::float64, {}));
    Trainer trainer(network, {.max_epochs = 4000,
                              .patience = 4000,
                              .group_size = 1,
                              .noise_variance = {0.1},
                              .learn_noise = false,
                              .extrapolation = share});
    TrainingCallbacks callbacks;
    std::vector<Gaussian> last;
    callbacks.progress = [&](const EpochReport&) {
      last = beliefs_of(network);
      return true;
    };
    trainer.fit(problem.rows(), problem.y, {}, callbacks);
    found.push_back(last);
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    EXPECT_NEAR(found[1][i].mean(), found[0][i].mean(), 1e-3 * std::sqrt(found[0][i].variance()));
    EXPECT_NEAR(found[1][i].variance() / found[0][i].variance(), 1, 1e-3);
  }
}

}  // namespace
}  // namespace postrider::network
