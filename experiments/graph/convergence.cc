// The convergence record on two graphs with loops: plain sweeps, damped sweeps, residuals. On one of
// them damping only costs time, on the other plain sweeps hardly get anywhere.
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "parts.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr double kTolerance = 1e-10, kDamping = 0.3;
constexpr std::size_t kLimit = 300;
constexpr std::uint32_t kSide = 16, kUnknowns = 12;
constexpr double kBetweenNeighbours = 0.1, kNoise = 0.01;

// A picture of kSide x kSide pixels, each seen with noise of variance 1, neighbours alike.
graph::FactorGraph grid(std::uint64_t seed) {
  RandomStream random(seed, 0);
  graph::FactorGraph graph;
  graph.add_variables(kSide * kSide);
  std::vector<graph::Variable> rows;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    rows.insert(rows.end(), {graph::Variable{a}, graph::Variable{b}});
  };
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
    graph.set_prior({i}, Gaussian::from_moments(random.normal(), 1));
    if (i % kSide + 1 < kSide) join(i, i + 1);
    if (i + kSide < kSide * kSide) join(i, i + kSide);
  }
  graph.add_plate(graph::make_factor("gaussian_likelihood", {{"variance", {kBetweenNeighbours}}}),
                  rows);
  return graph;
}

// As many noisy sums as unknowns, each of all unknowns with random weights: every loop is short, and
// the weights' signs set the messages against each other.
graph::FactorGraph sums(std::uint64_t seed) {
  RandomStream random(seed, 1);
  graph::FactorGraph graph;
  const graph::Variable first = graph.add_variables(kUnknowns);
  std::vector<double> truth;
  for (std::uint32_t i = 0; i < kUnknowns; ++i) {
    truth.push_back(random.normal());
    graph.set_prior({first.index + i}, Gaussian::from_moments(0, 1));
  }
  for (std::uint32_t k = 0; k < kUnknowns; ++k) {
    const graph::Variable sum = graph.add_variable();
    std::vector<graph::Variable> variables{sum};
    std::vector<double> weights;
    double value = std::sqrt(kNoise) * random.normal();
    for (std::uint32_t i = 0; i < kUnknowns; ++i) {
      weights.push_back(random.normal());
      value += weights.back() * truth[i];
      variables.push_back({first.index + i});
    }
    graph.add_factor(graph::make_factor("linear", {{"weights", weights}}), variables);
    graph.set_prior(sum, Gaussian::from_moments(value, kNoise));
  }
  return graph;
}

// The largest change against messages per edge: the measure in which a sweep, which sends each
// message twice, and the residual schedule, whose record has an entry per message, are comparable.
struct Curve {
  std::vector<double> messages_per_edge, change;
  bool converged;
};

Curve curve_of(graph::FactorGraph& graph, const graph::Schedule& schedule) {
  graph.reset();
  const graph::Record record = graph.run(schedule);
  const bool one_by_one = schedule.kind == graph::Schedule::Kind::residual;
  const std::size_t block = one_by_one ? graph.edge_count() : 1;
  Curve out{{}, {}, record.converged};
  for (std::size_t from = 0; from < record.change.size(); from += block) {
    const auto begin = record.change.begin() + static_cast<std::ptrdiff_t>(from);
    const std::size_t length = std::min(block, record.change.size() - from);
    out.messages_per_edge.push_back((one_by_one ? 1.0 : 2.0) *
                                    static_cast<double>(out.change.size() + 1));
    out.change.push_back(*std::max_element(begin, begin + static_cast<std::ptrdiff_t>(length)));
  }
  return out;
}

Node describe(const Curve& curve) {
  return {Object{{"converged", {curve.converged}},
                 {"messages_per_edge", {curve.messages_per_edge}},
                 {"change", {curve.change}}}};
}

struct Curves {
  Curve plain, damped, residual;

  explicit Curves(graph::FactorGraph graph)
      : plain(curve_of(graph, graph::Schedule::sweeps(kLimit, kTolerance))),
        damped(curve_of(graph, graph::Schedule::sweeps(kLimit, kTolerance, kDamping))),
        // Twice as many, because a sweep goes forwards and backwards.
        residual(curve_of(graph, graph::Schedule::residual(2 * kLimit, kTolerance))) {}

  Object result() const {
    return {{"sweeps", describe(plain)},
            {"damped_sweeps", describe(damped)},
            {"residual", describe(residual)}};
  }
};

}  // namespace

Part convergence(const Settings& settings) {
  const Curves on_grid(grid(settings.seed)), on_sums(sums(settings.seed));
  const auto length = [](const Curve& curve) { return curve.messages_per_edge.back(); };
  return {"convergence",
          {{"tolerance", {kTolerance}},
           {"damping", {kDamping}},
           {"side", {std::int64_t{kSide}}},
           {"unknowns", {std::int64_t{kUnknowns}}},
           {"grid", {on_grid.result()}},
           {"sums", {on_sums.result()}}},
          {{"grid: all converge, residuals with the fewest messages, damped sweeps with the most",
            on_grid.plain.converged && on_grid.damped.converged && on_grid.residual.converged &&
                length(on_grid.residual) < length(on_grid.plain) &&
                length(on_grid.plain) < length(on_grid.damped)},
           {"sums: plain sweeps do not converge, damped ones and residuals do",
            !on_sums.plain.converged && on_sums.damped.converged && on_sums.residual.converged}}};
}

}  // namespace postrider::experiments
