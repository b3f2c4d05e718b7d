#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "graph/random_tree.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::graph {
namespace {

// Rounding over some dozens of factors, and messages iterated to a change of 1e-12, in standard deviations.
constexpr double kExact = 1e-10, kIterated = 1e-9;

void expect_same(const FactorGraph& found, const FactorGraph& wanted,
                 const std::vector<Variable>& variables, double tolerance) {
  for (const Variable variable : variables) {
    const Gaussian a = found.marginal(variable), b = wanted.marginal(variable);
    EXPECT_NEAR(a.mean(), b.mean(), tolerance * std::max(std::abs(b.mean()), b.std()));
    EXPECT_NEAR(a.variance(), b.variance(), tolerance * b.variance());
  }
  ASSERT_TRUE(found.log_evidence().has_value());
  EXPECT_NEAR(*found.log_evidence(), *wanted.log_evidence(),
              tolerance * std::max(1.0, std::abs(*wanted.log_evidence())));
}

// Readings of all variables, one plate of them with loops, are added, heard of, and taken out: what is left is the tree as it was.
TEST(Removal, WhatIsRemovedMightNeverHaveBeen) {
  const std::shared_ptr<const Factor> noise =
      make_factor("gaussian_likelihood", {{"variance", {0.5}}});
  const std::shared_ptr<const Factor> sum = make_factor("linear", {{"weights", {1, 1}}});
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const Schedule& schedule :
         {Schedule::tree(), Schedule::sweeps(1000, 1e-12), Schedule::residual(1000, 1e-12)}) {
      SCOPED_TRACE(seed);
      RandomTree tree(20, seed);
      RandomTree twin(20, seed);
      twin.graph.run();
      FactorGraph& graph = tree.graph;
      const bool is_tree = schedule.kind == Schedule::Kind::tree;
      std::vector<Variable> readings, loops;
      for (const Variable variable : tree.variables) {
        const Variable seen = graph.add_variable();
        graph.observe(seen, 3);
        readings.insert(readings.end(), {seen, variable});
        if (loops.size() < 9) loops.insert(loops.end(), {seen, variable, tree.variables.back()});
      }
      const FactorNode single = graph.add_factor(noise, std::span(readings).first(2));
      const FactorNode plate = graph.add_plate(noise, readings);
      const FactorNode looped = graph.add_plate(sum, std::span(loops).first(9));
      if (is_tree) graph.remove(looped);
      graph.run(schedule);
      const double before = graph.marginal(tree.variables[0]).mean();
      graph.remove({plate.index + 3});
      graph.remove(single);
      if (!is_tree) graph.remove(looped);
      EXPECT_TRUE((is_tree ? graph.update() : graph.run(schedule)).converged);
      expect_same(graph, twin.graph, tree.variables, is_tree ? kExact : kIterated);
      EXPECT_NE(graph.marginal(tree.variables[0]).mean(), before);
      EXPECT_NE(complaint([&] { graph.remove(plate); }).find("was removed"), std::string::npos);
      EXPECT_EQ(graph.to_graphviz().find("f" + std::to_string(plate.index) + " "),
                std::string::npos);
    }
}

}  // namespace
}  // namespace postrider::graph
