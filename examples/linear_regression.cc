// Bayesian linear regression as a factor graph: y = slope x + intercept + noise. The graph has
// loops; sweeps of a Gaussian graph find the exact means where they converge, not the variances.
#include <iostream>
#include <memory>
#include <vector>

#include "postrider/graph.h"

int main() {
  using namespace postrider;
  const std::vector<double> x{0, 1, 2, 3, 4}, y{1.1, 2.9, 5.2, 6.8, 9.1};
  graph::FactorGraph graph;
  const graph::Variable slope = graph.add_variable("slope"),
                        intercept = graph.add_variable("intercept");
  for (const graph::Variable weight : {slope, intercept})
    graph.set_prior(weight, Gaussian::from_moments(0, 100));
  const std::shared_ptr<const graph::Factor> noise =
      graph::make_factor("gaussian_likelihood", {{"variance", {0.04}}});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const graph::Variable line = graph.add_variable(), seen = graph.add_variable();
    graph.add_factor(graph::make_factor("linear", {{"weights", {x[i], 1}}}),
                     std::vector{line, slope, intercept});
    graph.add_factor(noise, std::vector{seen, line});
    graph.observe(seen, y[i]);
  }
  const graph::Record record = graph.run(graph::Schedule::sweeps(10000));
  std::cout << "slope " << graph.marginal(slope).mean() << ", intercept "
            << graph.marginal(intercept).mean() << " after " << record.change.size() << " sweeps\n";
}
