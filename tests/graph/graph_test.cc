#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "graph/random_tree.h"
#include "postrider/error.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::graph {
using namespace internal;
namespace {

// Rounding over some dozens of factors, in units of max(|mean|, deviation) and of the variance.
constexpr double kExact = 1e-10;
// Iterated to a change of 1e-12 per message, on graphs whose loops contract by a half or better.
constexpr double kIterated = 1e-9;

std::shared_ptr<const Factor> factor(std::string_view name,
                                     std::vector<Parameter> parameters = {}) {
  return make_factor(name, std::move(parameters));
}

void expect_exact(const RandomTree& tree, double tolerance) {
  const dense::Conditioned exact = dense::condition(tree.model, tree.observed_rows, tree.values);
  for (std::size_t i = 0; i < tree.variables.size(); ++i) {
    const Gaussian found = tree.graph.marginal(tree.variables[i]);
    const double mean = exact.mean[tree.row(i)], variance = exact.variance[tree.row(i)];
    const double scale = std::max(std::abs(mean), std::sqrt(variance));
    EXPECT_NEAR(found.mean(), mean, tolerance * scale) << "variable " << i;
    EXPECT_NEAR(found.variance(), variance, tolerance * variance) << "variable " << i;
  }
  const std::optional<double> evidence = tree.graph.log_evidence();
  ASSERT_TRUE(evidence.has_value());
  EXPECT_NEAR(*evidence, exact.log_evidence,
              tolerance * std::max(1.0, std::abs(exact.log_evidence)));
}

TEST(FactorGraph, TreesAreExact) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree tree(5 + seed % 60, seed);
    EXPECT_TRUE(tree.graph.run().converged);
    expect_exact(tree, kExact);
  }
}

TEST(FactorGraph, SweepsAndResidualsFindTheSameOnTrees) {
  for (const Schedule& schedule :
       {Schedule::sweeps(1000, 1e-12), Schedule::residual(1000, 1e-12),
        Schedule::sweeps(1000, 1e-12, 0.3), Schedule::residual(1000, 1e-12, 0.3)})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(seed);
      RandomTree tree(30, seed);
      EXPECT_TRUE(tree.graph.run(schedule).converged);
      expect_exact(tree, kIterated);
    }
}

TEST(FactorGraph, UpdatesOnlyWhatFollows) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomTree tree(40, seed);
    if (tree.observed.empty()) continue;
    const std::size_t all = tree.graph.run().messages;
    tree.values[0] += 1.5;
    tree.graph.observe(tree.observed[0], tree.values[0]);
    const Record record = tree.graph.update();
    EXPECT_LT(record.messages, all);
    expect_exact(tree, kExact);
  }
}

TEST(FactorGraph, TakesAnObservationOutAgain) {
  RandomTree tree(40, 7);
  tree.graph.run();
  tree.graph.forget(tree.observed.back());
  tree.observed_rows.pop_back();
  tree.values.pop_back();
  tree.graph.update();
  expect_exact(tree, kExact);
}

// Any sequence of observing and forgetting, each followed by an update, ends where a fresh run does.
TEST(FactorGraph, UpdatesAddUp) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomTree tree(40, seed);
    tree.graph.run();
    RandomStream random(seed, 1);
    std::vector<bool> known(tree.observed.size(), true);
    for (int step = 0; step < 50 && !known.empty(); ++step) {
      const std::size_t i = random.below(known.size());
      if (known[i] && random.uniform() < 0.5) {
        tree.graph.forget(tree.observed[i]);
        known[i] = false;
      } else {
        tree.values[i] = random.uniform(-3, 3);
        tree.graph.observe(tree.observed[i], tree.values[i]);
        known[i] = true;
      }
      tree.graph.update();
    }
    std::vector<std::size_t> rows;
    std::vector<double> values;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!known[i]) continue;
      rows.push_back(tree.observed_rows[i]);
      values.push_back(tree.values[i]);
    }
    tree.observed_rows = rows;
    tree.values = values;
    expect_exact(tree, kExact);
  }
}

TEST(FactorGraph, GrowsAfterARun) {
  FactorGraph graph;
  const Variable x = graph.add_variable("x"), y = graph.add_variable("y");
  graph.set_prior(x, Gaussian::from_moments(1, 4));
  graph.run();
  graph.add_factor(factor("gaussian_likelihood", {{"variance", {2}}}), std::vector{y, x});
  graph.update();
  EXPECT_TRUE(equal_within(graph.marginal(y), Gaussian::from_moments(1, 6), {}));
  graph.add_factor(factor("gaussian_prior", {{"mean", {3}}, {"variance", {4}}}), std::vector{x});
  graph.update();
  EXPECT_TRUE(equal_within(graph.marginal(x), Gaussian::from_moments(2, 2), {}));
  EXPECT_TRUE(equal_within(graph.marginal(y), Gaussian::from_moments(2, 4), {}));
}

// A variable with more edges than are multiplied up anew.
TEST(FactorGraph, StarsAreExact) {
  constexpr std::size_t kRows = 1000;
  FactorGraph graph;
  const Variable centre = graph.add_variable("centre");
  graph.set_prior(centre, Gaussian::from_moments(0, 1));
  const Variable first = graph.add_variables(kRows);
  std::vector<Variable> rows;
  double sum = 0;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    rows.insert(rows.end(), {Variable{first.index + i}, centre});
    const double value = std::sin(i);
    graph.observe({first.index + i}, value);
    sum += value;
  }
  graph.add_plate(factor("gaussian_likelihood", {{"variance", {0.5}}}), rows);
  graph.run();
  const double rho = 1 + kRows / 0.5;
  EXPECT_NEAR(graph.marginal(centre).rho(), rho, kExact * rho);
  EXPECT_NEAR(graph.marginal(centre).mean(), sum / 0.5 / rho, kExact);
}

// Gaussian belief propagation on a loop: the means are exact where it converges.
TEST(FactorGraph, LoopsConvergeToTheExactMeans) {
  FactorGraph graph;
  const Variable first = graph.add_variables(3);
  const auto at = [&](std::uint32_t i) { return Variable{first.index + i % 3}; };
  const std::vector<double> prior_mean{1, -2, 4};
  const auto link = factor("gaussian_likelihood", {{"variance", {2}}});
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.set_prior(at(i), Gaussian::from_moments(prior_mean[i], 1));
    graph.add_factor(link, std::vector{at(i), at(i + 1)});
  }
  EXPECT_THROW(graph.run(Schedule::tree()), InvalidArgument);
  // Precision: 1 + 2/2 on the diagonal, -1/2 beside it; h = prior mean. Row sums are 1, so
  // x_i = (h_i + sum(h)/2)/2.5.
  for (const Schedule& schedule : {Schedule::sweeps(), Schedule::residual()}) {
    graph.reset();
    const Record record = graph.run(schedule);
    EXPECT_TRUE(record.converged);
    for (std::uint32_t i = 0; i < 3; ++i)
      EXPECT_NEAR(graph.marginal(at(i)).mean(), (prior_mean[i] + 1.5) / 2.5, kIterated);
  }
}

// With conditioned rules one pass to the root is not enough; the order of the variables must not
// matter.
TEST(FactorGraph, TreesOfConditionedFactorsConvergeWhateverTheOrder) {
  std::vector<Gaussian> marginals;
  for (const bool reversed : {false, true}) {
    FactorGraph graph;
    std::vector<Variable> v(4);
    for (std::size_t i = 0; i < 4; ++i) v[reversed ? 3 - i : i] = graph.add_variable();
    const auto noise = factor("gaussian_likelihood", {{"variance", {1}}});
    graph.set_prior(v[0], Gaussian::from_moments(0, 4));
    graph.add_factor(noise, std::vector{v[1], v[0]});
    graph.add_factor(factor("leaky_relu", {{"slope", {0.1}}}), std::vector{v[2], v[1]});
    graph.add_factor(noise, std::vector{v[3], v[2]});
    graph.observe(v[3], 2);
    const Record record = graph.run();
    EXPECT_TRUE(record.converged);
    EXPECT_GT(record.change.size(), 1U);
    marginals.push_back(graph.marginal(v[0]));
    graph.observe(v[3], 1);
    graph.update();
    graph.observe(v[3], 2);
    graph.update();
    EXPECT_TRUE(equal_within(graph.marginal(v[0]), marginals.back(), {kIterated}));
  }
  EXPECT_TRUE(equal_within(marginals[0], marginals[1], {kIterated}));
}

TEST(FactorGraph, UpdateRefusesALoopBeforeItChangesAnything) {
  FactorGraph graph;
  const Variable a = graph.add_variable(), b = graph.add_variable();
  const auto link = factor("gaussian_likelihood", {{"variance", {1}}});
  graph.set_prior(a, Gaussian::from_moments(0, 1));
  graph.add_factor(link, std::vector{a, b});
  graph.add_factor(link, std::vector{b, a});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(graph.update(), InvalidArgument);
    EXPECT_TRUE(graph.marginal(b).is_uniform());
  }
}

TEST(FactorGraph, EvidenceOfContradictingObservationsIsMinusInfinity) {
  FactorGraph graph;
  const Variable u = graph.add_variable(), v = graph.add_variable();
  graph.add_factor(factor("linear", {{"weights", {1}}}), std::vector{u, v});
  graph.observe(u, 1);
  graph.observe(v, 2);
  graph.run();
  EXPECT_EQ(graph.log_evidence(), -std::numeric_limits<double>::infinity());
}

// A factor of a user's that claims a negative precision.
class Denier final : public Factor {
 public:
  const FactorInfo& info() const override { return info_; }
  Reply send(std::size_t, Rule, std::span<const Gaussian>) const override {
    return {Gaussian::from_natural(0, -2), 0.0};
  }
  double evaluate(std::span<const double>) const override { return 0; }

 private:
  FactorInfo info_{"denier",
                   "1",
                   FactorKind::density,
                   {{"x", {{Rule::direct, Claim::approximate, true}}, true}}};
};

TEST(FactorGraph, PoliciesDoWhatTheySay) {
  FactorGraph graph;
  const Variable x = graph.add_variable("x");
  graph.set_prior(x, Gaussian::from_moments(1, 1));
  const FactorNode node = graph.add_factor(std::make_shared<Denier>(), std::vector{x});
  try {
    graph.run();
    FAIL() << "refuse is the default";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("denier[0] -> x"), std::string::npos) << error.what();
  }
  graph.set_policy(node, ImproperPolicy::skip);
  const Record skipped = graph.run();
  EXPECT_EQ(skipped.improper, 1U);
  EXPECT_EQ(skipped.skipped, 1U);
  EXPECT_EQ(skipped.improper_edges, std::vector<std::string>{"denier[0] -> x"});
  EXPECT_EQ(graph.marginal(x), Gaussian::from_moments(1, 1));

  // Half of a negative precision is still negative: nothing to go half the way from.
  graph.set_policy(node, ImproperPolicy::damp);
  EXPECT_EQ(graph.run().skipped, 1U);
}

TEST(FactorGraph, AbsorbsMessagesIntoThePrior) {
  FactorGraph graph;
  const Variable x = graph.add_variable(), y = graph.add_variable();
  graph.set_prior(x, Gaussian::from_moments(0, 1));
  const FactorNode seen =
      graph.add_factor(factor("gaussian_likelihood", {{"variance", {1}}}), std::vector{y, x});
  Record record;
  for (const double value : {1.0, 3.0}) {
    graph.observe(y, value);
    graph.send(seen, 1, record);
    graph.absorb(x);
    EXPECT_TRUE(graph.message(seen, 1).is_uniform());
  }
  EXPECT_EQ(record.messages, 2U);
  EXPECT_TRUE(equal_within(graph.marginal(x), Gaussian::from_moments(4.0 / 3, 1.0 / 3), {}));
}

TEST(FactorGraph, EvidenceIsAbsentWhereARuleHasNoScale) {
  FactorGraph graph;
  const Variable z = graph.add_variable(), x = graph.add_variable(), y = graph.add_variable();
  graph.set_prior(x, Gaussian::from_moments(1, 1));
  graph.set_prior(y, Gaussian::from_moments(2, 1));
  graph.observe(z, 3);
  const FactorNode node = graph.add_factor(factor("product"), std::vector{z, x, y});
  graph.set_rule(node, 1, Rule::direct);
  graph.set_rule(node, 2, Rule::direct);
  EXPECT_THROW(graph.set_rule(node, 1, Rule::exact), InvalidArgument);
  graph.run();
  // Towards z the scale is known: the evidence is that of the Gaussian projection of x y.
  ASSERT_TRUE(graph.log_evidence().has_value());
  EXPECT_NEAR(*graph.log_evidence(), Gaussian::from_moments(2, 6).log_density(3), kExact);
}

TEST(FactorGraph, DrawsItself) {
  FactorGraph graph;
  const Variable x = graph.add_variable("the \"x\"");
  graph.add_factor(factor("gaussian_prior"), std::vector{x});
  graph.run();
  const std::string picture = graph.to_graphviz();
  EXPECT_NE(picture.find("the \\\"x\\\""), std::string::npos);
  EXPECT_NE(picture.find("0 ± 1"), std::string::npos);
  EXPECT_NE(picture.find("f0 -- v0"), std::string::npos);
}

// Four variables in a ring: a loop, which takes several sweeps.
FactorGraph ring() {
  FactorGraph graph;
  const Variable first = graph.add_variables(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    graph.set_prior({first.index + i}, Gaussian::from_moments(i, 1));
    graph.add_factor(factor("gaussian_likelihood"),
                     std::vector<Variable>{{first.index + i}, {first.index + (i + 1) % 4}});
  }
  return graph;
}

TEST(FactorGraph, ProgressIsToldAndEndsARun) {
  constexpr std::size_t kEdges = 8;
  for (Schedule schedule : {Schedule::sweeps(50, 0), Schedule::residual(50, 0)}) {
    FactorGraph graph = ring();
    std::size_t calls = 0;
    schedule.progress = [&](const Record& record) {
      ++calls;
      EXPECT_EQ(record.messages % kEdges, 0U);
      return calls < 3;
    };
    const Record record = graph.run(schedule);
    EXPECT_EQ(calls, 3U);
    EXPECT_FALSE(record.converged);
    const bool is_sweep = schedule.kind == Schedule::Kind::sweeps;  // sends to each edge twice
    EXPECT_EQ(record.messages, (is_sweep ? 6 : 3) * kEdges);
    // What follows goes on from there, and ends where a run without a break does.
    schedule.progress = {};
    graph.run(schedule);
    FactorGraph whole = ring();
    whole.run(schedule);
    for (std::uint32_t i = 0; i < 4; ++i)
      EXPECT_TRUE(equal_within(graph.marginal({i}), whole.marginal({i}), {}));
  }
}

TEST(FactorGraph, MistakesAreNamed) {
  FactorGraph graph;
  const Variable x = graph.add_variable();
  EXPECT_THROW(graph.add_factor(factor("product"), std::vector{x}), InvalidArgument);
  EXPECT_THROW(graph.add_factor(nullptr, std::vector{x}), InvalidArgument);
  EXPECT_THROW(graph.add_factor(factor("gaussian_likelihood"), std::vector{x, x}), InvalidArgument);
  EXPECT_THROW(graph.marginal({7}), InvalidArgument);
  EXPECT_THROW(graph.forget(x), InvalidArgument);
  EXPECT_THROW(graph.run(Schedule::sweeps(0)), InvalidArgument);
  EXPECT_THROW(graph.run(Schedule::sweeps(1, 1e-3, 1)), InvalidArgument);
}

TEST(FactorGraph, AWrongEdgeListsTheEdges) {
  FactorGraph graph;
  const Variable first = graph.add_variables(3);
  const FactorNode node = graph.add_factor(
      factor("product"), std::vector<Variable>{first, {first.index + 1}, {first.index + 2}});
  const std::string expected = "product: no edge 3; there are: z, x, y";
  EXPECT_EQ(complaint([&] { graph.send(node, 3); }), expected);
  EXPECT_EQ(complaint([&] { graph.send_plate(node, 3); }), expected);
  EXPECT_EQ(complaint([&] { graph.message(node, 3); }), expected);
  EXPECT_EQ(complaint([&] { graph.set_rule(node, 3, Rule::direct); }), expected);
}

}  // namespace
}  // namespace postrider::graph
