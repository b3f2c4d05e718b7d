#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "postrider/graph/factor_graph.h"

namespace postrider::graph {
namespace {

std::shared_ptr<const Factor> noise(double variance) {
  return make_factor("gaussian_likelihood", {{"variance", {variance}}});
}

// y = 4 is seen with noise of variance 2, which says N(4, 2) about x. Half of the old message is kept each
// time: after two messages three quarters of it have been said, after one sweep that visits every edge
// forwards and backwards, or after as many messages as there are edges.
TEST(Schedule, DampingKeepsAShareOfTheOldMessage) {
  constexpr std::size_t kX = 1;
  for (const Schedule& schedule : {Schedule::sweeps(1, 0, 0.5), Schedule::residual(1, 0, 0.5)}) {
    FactorGraph graph;
    const Variable y = graph.add_variable(), x = graph.add_variable();
    graph.set_prior(x, Gaussian::from_moments(1, 1));
    graph.observe(y, 4);
    const FactorNode seen = graph.add_factor(noise(2), std::vector{y, x});
    EXPECT_EQ(graph.run(schedule).messages, 2U);
    const Gaussian whole = Gaussian::from_moments(4, 2);
    EXPECT_TRUE(equal_within(graph.message(seen, kX), whole.power(0.75), {}))
        << graph.message(seen, kX);
  }
}

// A ring of three: its messages converge, but not at once.
FactorGraph ring() {
  FactorGraph graph;
  const Variable first = graph.add_variables(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.set_prior({first.index + i}, Gaussian::from_moments(i, 1));
    graph.add_factor(noise(1),
                     std::vector<Variable>{{first.index + i}, {first.index + (i + 1) % 3}});
  }
  return graph;
}

TEST(Schedule, SweepsEndAtTheToleranceAskedFor) {
  for (const double tolerance : {1e-1, 1e-3, 1e-8}) {
    FactorGraph graph = ring();
    const Record record = graph.run(Schedule::sweeps(100, tolerance));
    EXPECT_TRUE(record.converged);
    ASSERT_GT(record.change.size(), 1U);
    EXPECT_LE(record.change.back(), tolerance);
    for (std::size_t i = 0; i + 1 < record.change.size(); ++i)
      EXPECT_GT(record.change[i], tolerance);
  }
}

// A chain whose links forget most of what they hear: a change at one end fades on its way.
TEST(Schedule, AnUpdateFollowsAChangeAsFarAsTheTolerance) {
  constexpr std::size_t kLinks = 9;
  const auto messages = [](double tolerance) {
    FactorGraph graph;
    const Variable first = graph.add_variables(kLinks + 1);
    for (std::uint32_t i = 0; i <= kLinks; ++i) graph.set_prior({i}, Gaussian::from_moments(0, 1));
    for (std::uint32_t i = 0; i < kLinks; ++i)
      graph.add_factor(noise(3), std::vector<Variable>{{i}, {i + 1}});
    graph.observe(first, 1);
    graph.run();
    graph.observe(first, 2);
    return graph.update(tolerance).messages;
  };
  EXPECT_EQ(messages(0), kLinks);
  EXPECT_LT(messages(1e-2), kLinks);
  EXPECT_GT(messages(1e-2), 1U);
}

}  // namespace
}  // namespace postrider::graph
