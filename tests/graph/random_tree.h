// A random linear Gaussian tree, as a graph and as a dense model.
#pragma once

#include <memory>
#include <vector>

#include "base/random.h"
#include "graph/dense.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::graph {
using namespace internal;

struct RandomTree {
  FactorGraph graph;
  dense::Model model;
  std::vector<Variable> variables;         // as in the model, but for the observations
  std::vector<Variable> observed;          // variables of the graph that hold data
  std::vector<std::size_t> observed_rows;  // the same in the model
  std::vector<double> values;

  RandomTree(std::size_t size, std::uint64_t seed) : random_(seed, 0) {
    while (variables.size() < size) {
      const double kind = random_.uniform();
      if (kind < 0.2 || tops_.empty())
        add_root();
      else if (kind < 0.6 || tops_.size() < 2)
        add_noisy_copy();
      else
        add_sum();
      if (random_.uniform() < 0.5) add_observation(variables.size() - 1);
    }
  }

 private:
  std::size_t add(double mean, dense::Row weights) {
    variables.push_back(graph.add_variable());
    rows_.push_back(model.add(mean, std::move(weights)));
    return variables.size() - 1;
  }

  // The same variable with independent noise on top.
  dense::Row with_noise(dense::Row weights, double variance) {
    const std::size_t source = model.source();
    while (weights.size() <= source) weights.push_back(0);
    weights[source] = std::sqrt(variance);
    return weights;
  }

  void add_root() {
    const double mean = random_.uniform(-2, 2), variance = random_.log_uniform(0.1, 10);
    const std::size_t at = add(mean, with_noise({}, variance));
    graph.set_prior(variables[at], Gaussian::from_moments(mean, variance));
    tops_.push_back(at);
  }

  // From any variable: a tree may branch.
  void add_noisy_copy() {
    const std::size_t from = random_.below(variables.size());
    const double variance = random_.log_uniform(0.1, 10);
    const std::size_t at =
        add(model.mean[rows_[from]], with_noise(model.weights[rows_[from]], variance));
    const auto likelihood =
        std::shared_ptr<Factor>(make_factor("gaussian_likelihood", {{"variance", {variance}}}));
    graph.add_factor(likelihood, std::vector{variables[at], variables[from]});
  }

  // Adds up two components, which become one: no loop.
  void add_sum() {
    const std::size_t i = random_.below(tops_.size());
    std::swap(tops_[i], tops_.back());
    const std::size_t a = tops_.back();
    tops_.pop_back();
    const std::size_t j = random_.below(tops_.size());
    const std::size_t b = tops_[j];
    const double wa = random_.uniform(0.5, 2), wb = -random_.uniform(0.5, 2);
    dense::Row weights(model.sources, 0.0);
    const auto mix = [&](double w, const dense::Row& row) {
      for (std::size_t k = 0; k < row.size(); ++k) weights[k] += w * row[k];
    };
    mix(wa, model.weights[rows_[a]]);
    mix(wb, model.weights[rows_[b]]);
    const std::size_t at =
        add(wa * model.mean[rows_[a]] + wb * model.mean[rows_[b]], std::move(weights));
    const auto linear = std::shared_ptr<Factor>(make_factor("linear", {{"weights", {wa, wb}}}));
    graph.add_factor(linear, std::vector{variables[at], variables[a], variables[b]});
    tops_[j] = at;
  }

  void add_observation(std::size_t of) {
    const double variance = random_.log_uniform(0.05, 2);
    const double value = model.mean[rows_[of]] + random_.uniform(-2, 2);
    observed_rows.push_back(
        model.add(model.mean[rows_[of]], with_noise(model.weights[rows_[of]], variance)));
    values.push_back(value);
    observed.push_back(graph.add_variable());
    const auto likelihood =
        std::shared_ptr<Factor>(make_factor("gaussian_likelihood", {{"variance", {variance}}}));
    graph.add_factor(likelihood, std::vector{observed.back(), variables[of]});
    graph.observe(observed.back(), value);
  }

  RandomStream random_;
  std::vector<std::size_t> tops_;  // one variable of each component, the newest
  std::vector<std::size_t> rows_;  // of the variables, in the model

 public:
  std::size_t row(std::size_t variable) const { return rows_[variable]; }
};

}  // namespace postrider::graph
