#include <iostream>
#include <vector>

#include "postrider/graph.h"

int main() {
  using namespace postrider;
  using namespace postrider::graph;
  FactorGraph graph;
  const Variable room = graph.add_variable("room"), one = graph.add_variable("thermometer 1"),
                 two = graph.add_variable("thermometer 2");
  graph.set_prior(room, Gaussian::from_moments(20, 25));  // 20 degrees, give or take 5

  // Each thermometer shows the room's temperature with noise of variance 1, and 0.25.
  graph.add_factor(make_factor("gaussian_likelihood", {{"variance", {1}}}), std::vector{one, room});
  graph.add_factor(make_factor("gaussian_likelihood", {{"variance", {0.25}}}),
                   std::vector{two, room});

  graph.observe(one, 23.1);
  graph.run();  // a tree: two passes, exact
  std::cout << "after one    " << graph.marginal(room) << "\n"
            << "expect two   " << graph.marginal(two) << "\n";

  graph.observe(two, 22.4);
  graph.update();  // only what follows from the new reading
  std::cout << "after both   " << graph.marginal(room) << "\n"
            << "log evidence " << *graph.log_evidence() << "\n";

  graph.forget(one);  // it was broken
  graph.update();
  std::cout << "without one  " << graph.marginal(room) << "\n";
}
