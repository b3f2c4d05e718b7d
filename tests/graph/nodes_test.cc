#include "graph/nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace postrider::internal {
namespace {

const std::vector<double> kOne{1}, kTwo{1, 1}, kThree{1, 1, 1};

TEST(HyperNodes, FindAGaussianFarFromTheStart) {
  const graph::Model::Nodes found = hyperparameter_nodes(
      [](std::span<const double> g) { return -0.5 * std::pow((g[0] - 40) / 0.03, 2) - 7; },
      std::vector<double>{0}, kOne);
  ASSERT_TRUE(!found.nodes.empty() && found.converged);
  EXPECT_NEAR(found.means[0], 40, 1e-6);
  EXPECT_NEAR(found.deviations[0], 0.03, 1e-5);
  EXPECT_NEAR(found.log_mass, 0.5 * std::log(2 * std::numbers::pi) + std::log(0.03) - 7, 1e-5);
  EXPECT_LT(found.nodes.size(), 20U);
  EXPECT_NEAR(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), 1, 1e-12);
}

// The logarithm of a gamma variable of shape k: its mean is psi(k), its variance psi'(k); skew, with one slow tail.
TEST(HyperNodes, FollowSkewnessAndTails) {
  struct Case {
    double shape, mean, variance;
  };
  for (const Case& known : {Case{1, -0.57721566490153286, 1.6449340668482264},
                            Case{0.5, -1.9635100260214235, 4.9348022005446793},
                            Case{10, 2.2517525890667211, 0.10516633568168575}}) {
    const graph::Model::Nodes found = hyperparameter_nodes(
        [&](std::span<const double> g) { return known.shape * g[0] - std::exp(g[0]); },
        std::vector<double>{0}, kOne);
    ASSERT_TRUE(found.converged) << known.shape;
    const double deviation = std::sqrt(known.variance);
    EXPECT_NEAR(found.means[0], known.mean, 0.005 * deviation) << known.shape;
    EXPECT_NEAR(found.deviations[0] / deviation, 1, 0.005) << known.shape;
    EXPECT_NEAR(found.log_mass, std::lgamma(known.shape), 0.005) << known.shape;
  }
}

// Beyond 0.3 the density falls at once: a lattice as wide as the curvature at the mode is too coarse.
TEST(HyperNodes, AreRefinedUntilTheyAgree) {
  const graph::Model::Nodes found = hyperparameter_nodes(
      [](std::span<const double> g) {
        const double beyond = std::max(0.0, g[0] - 0.3) / 0.02;
        return -0.5 * (g[0] * g[0] + beyond * beyond);
      },
      std::vector<double>{0}, std::vector<double>{0.1});
  ASSERT_TRUE(!found.nodes.empty());
  // A normal variable below 0.3 has the mean -phi(0.3)/Phi(0.3), and a shoulder of 0.02 is beside it.
  EXPECT_NEAR(found.means[0], -0.617 + 0.02, 0.04);
}

TEST(HyperNodes, AreALatticeAlongTheCorrelation) {
  // Precision [[2, -1.8], [-1.8, 2]]: correlation 0.9.
  const auto log_density = [](std::span<const double> g) {
    const double x = g[0] - 1, y = g[1] + 2;
    return -0.5 * (2 * x * x + 2 * y * y - 3.6 * x * y);
  };
  const graph::Model::Nodes found =
      hyperparameter_nodes(log_density, std::vector<double>{0, 0}, kTwo);
  ASSERT_TRUE(found.converged);
  EXPECT_NEAR(found.means[0], 1, 1e-4);
  EXPECT_NEAR(found.means[1], -2, 1e-4);
  EXPECT_NEAR(found.deviations[0], std::sqrt(2 / 0.76), 1e-3);
  EXPECT_NEAR(found.log_mass, std::log(2 * std::numbers::pi) - 0.5 * std::log(0.76), 1e-4);
  EXPECT_LT(found.nodes.size(), 200U);
}

TEST(HyperNodes, ThreeAtOnce) {
  const graph::Model::Nodes found = hyperparameter_nodes(
      [](std::span<const double> g) {
        return -0.5 * (g[0] * g[0] + g[1] * g[1] / 4 + g[2] * g[2] / 0.01);
      },
      std::vector<double>{1, 1, 1}, kThree);
  ASSERT_TRUE(found.converged);
  EXPECT_NEAR(found.deviations[1], 2, 0.01);
  EXPECT_NEAR(found.deviations[2], 0.1, 0.0005);
}

TEST(HyperNodes, SayWhichCallEachNodeWas) {
  std::vector<double> asked;
  const graph::Model::Nodes found = hyperparameter_nodes(
      [&](std::span<const double> g) {
        asked.push_back(g[0]);
        return -g[0] * g[0];
      },
      std::vector<double>{3}, kOne);
  ASSERT_TRUE(!found.nodes.empty());
  EXPECT_EQ(found.evaluations, asked.size());
  for (std::size_t k = 0; k < found.nodes.size(); ++k)
    EXPECT_EQ(found.nodes[k][0], asked[found.evaluation[k]]);
}

TEST(HyperNodes, EndWhereThereIsNoDensity) {
  const graph::Model::Nodes nowhere = hyperparameter_nodes(
      [](std::span<const double>) { return -std::numeric_limits<double>::infinity(); },
      std::vector<double>{0}, kOne);
  EXPECT_TRUE(nowhere.nodes.empty());
  // No mode: it rises for ever.
  const graph::Model::Nodes rising = hyperparameter_nodes(
      [](std::span<const double> g) { return g[0]; }, std::vector<double>{0}, kOne);
  EXPECT_FALSE(!rising.nodes.empty() && rising.converged);
  // Numbers that are none count as no density, and an edge ends the lattice.
  const graph::Model::Nodes edge = hyperparameter_nodes(
      [](std::span<const double> g) {
        return g[0] < 0 ? std::nan("") : -0.5 * std::pow(g[0] - 3, 2);
      },
      std::vector<double>{1}, kOne);
  ASSERT_TRUE(!edge.nodes.empty());
  EXPECT_NEAR(edge.means[0], 3, 0.05);
}

}  // namespace
}  // namespace postrider::internal
