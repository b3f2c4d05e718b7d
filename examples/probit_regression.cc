// Bayesian probit regression: the sign of weight . x + noise is seen. Tilted messages, iterated.
#include <iostream>
#include <memory>
#include <vector>

#include "postrider/graph.h"

int main() {
  using namespace postrider;
  const std::vector<double> x{-2, -1, -0.5, 0.3, 1, 2};
  const std::vector<double> sign{-1, -1, 1, -1, 1, 1};
  graph::FactorGraph graph;
  const graph::Variable weight = graph.add_variable("weight"), bias = graph.add_variable("bias");
  for (const graph::Variable v : {weight, bias}) graph.set_prior(v, Gaussian::from_moments(0, 4));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const graph::Variable score = graph.add_variable();
    graph.add_factor(graph::make_factor("linear", {{"weights", {x[i], 1}}}),
                     std::vector{score, weight, bias});
    graph.add_factor(graph::make_factor("probit", {{"sign", {sign[i]}}}), std::vector{score});
  }
  const graph::Record record = graph.run(graph::Schedule::sweeps(200));
  std::cout << "weight " << graph.marginal(weight) << ", bias " << graph.marginal(bias)
            << (record.converged ? "" : " (not converged)") << "\n";
}
