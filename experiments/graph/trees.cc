// Random Gaussian trees: marginals and evidence against a sparse Cholesky factorisation.
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/random.h"
#include "parts.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr double kTolerance = 1e-10;

// The joint density exp(-x' Lambda x/2 + h' x + constant), collected factor by factor.
struct Joint {
  std::vector<Eigen::Triplet<double>> lambda;
  Eigen::VectorXd h;
  double constant = 0;

  void add_unary(int i, double mean, double variance) {
    lambda.emplace_back(i, i, 1 / variance);
    h[i] += mean / variance;
    constant -= 0.5 * (mean * mean / variance + std::log(2 * M_PI * variance));
  }
  void add_link(int i, int j, double variance) {
    lambda.emplace_back(i, i, 1 / variance);
    lambda.emplace_back(j, j, 1 / variance);
    lambda.emplace_back(i, j, -1 / variance);
    lambda.emplace_back(j, i, -1 / variance);
    constant -= 0.5 * std::log(2 * M_PI * variance);
  }
};

std::shared_ptr<const graph::Factor> link(double variance) {
  return graph::make_factor("gaussian_likelihood", {{"variance", {variance}}});
}

// A variable hangs on an earlier one: any of them, or (deep trees) one of the last few.
struct Tree {
  graph::FactorGraph graph;
  graph::Variable first;
  Joint joint;

  Tree(std::uint32_t size, RandomStream& random) : first(graph.add_variables(size)) {
    joint.h = Eigen::VectorXd::Zero(size);
    const bool deep = random.uniform() < 0.5;
    for (std::uint32_t i = 0; i < size; ++i) {
      const graph::Variable x{first.index + i};
      if (i == 0 || random.uniform() < 0.1) {
        const double mean = random.uniform(-3, 3), variance = random.log_uniform(0.1, 10);
        graph.set_prior(x, Gaussian::from_moments(mean, variance));
        joint.add_unary(static_cast<int>(i), mean, variance);
      }
      if (i > 0) {
        const auto back = random.below(deep ? std::min<std::uint32_t>(i, 3) : i);
        const auto parent = static_cast<std::uint32_t>(i - 1 - back);
        const double variance = random.log_uniform(0.1, 10);
        graph.add_factor(link(variance), std::vector{x, graph::Variable{first.index + parent}});
        joint.add_link(static_cast<int>(i), static_cast<int>(parent), variance);
      }
      if (random.uniform() < 0.4) {
        const double value = random.uniform(-5, 5), variance = random.log_uniform(0.05, 5);
        const graph::Variable y = graph.add_variable();
        graph.observe(y, value);
        graph.add_factor(link(variance), std::vector{y, x});
        joint.add_unary(static_cast<int>(i), value, variance);
      }
    }
  }
};

// The largest relative error of a mean (in max(|mean|, deviation)), a variance or the evidence.
double largest_error(Tree& tree) {
  const Eigen::Index size = tree.joint.h.size();
  Eigen::SparseMatrix<double> lambda(size, size);
  lambda.setFromTriplets(tree.joint.lambda.begin(), tree.joint.lambda.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> cholesky(lambda);
  const Eigen::VectorXd mean = cholesky.solve(tree.joint.h);
  const double log_evidence = tree.joint.constant + 0.5 * tree.joint.h.dot(mean) +
                              0.5 * static_cast<double>(size) * std::log(2 * M_PI) -
                              0.5 * cholesky.vectorD().array().log().sum();
  tree.graph.run();
  double worst = std::abs(tree.graph.log_evidence().value() - log_evidence) /
                 std::max(1.0, std::abs(log_evidence));
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    unit[i] = 1;
    const double variance = cholesky.solve(unit)[i];
    unit[i] = 0;
    const Gaussian found = tree.graph.marginal({tree.first.index + static_cast<std::uint32_t>(i)});
    const double scale = std::max(std::abs(mean[i]), std::sqrt(variance));
    worst = std::max({worst, std::abs(found.mean() - mean[i]) / scale,
                      std::abs(found.variance() - variance) / variance});
  }
  return worst;
}

}  // namespace

Part trees(const Settings& settings) {
  const std::size_t graphs = settings.quick ? 50 : 1000;
  const double largest_size = settings.quick ? 500 : 10'000;
  double worst = 0;
  std::vector<double> sizes, errors;
  for (std::size_t i = 0; i < graphs; ++i) {
    RandomStream random(settings.seed, i);
    // The last tree is of the largest size.
    const double size = i + 1 == graphs ? largest_size : random.log_uniform(2, largest_size);
    Tree tree(static_cast<std::uint32_t>(size), random);
    sizes.push_back(std::floor(size));
    errors.push_back(largest_error(tree));
    worst = std::max(worst, errors.back());
  }
  return {
      "trees",
      {{"graphs", {static_cast<std::int64_t>(graphs)}},
       {"largest_size", {*std::max_element(sizes.begin(), sizes.end())}},
       {"max_relative_error", {worst}},
       {"size", {sizes}},
       {"relative_error", {errors}}},
      {{"marginals and evidence of " + std::to_string(graphs) +
            " trees are exact to 1e-10 (largest error: " + std::to_string(worst * 1e10) + "e-10)",
        worst <= kTolerance}}};
}

}  // namespace postrider::experiments
