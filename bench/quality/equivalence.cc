// Two engines that share no code of their loops must give the same beliefs. Where training magnifies
// rounding, they can agree only as well as one engine does with itself when its prior is nudged.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/workers.h"
#include "bench/common/table.h"
#include "bench/quality/paper_networks.h"
#include "bench/quality/parts.h"
#include "experiments/graph/graph_trainer.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;
using experiments::Problem;
using experiments::Settings;

constexpr double kGoal = 1e-10;
constexpr double kNudge = 1e-14;  // of the prior means, relative
constexpr double kTimesNudged = 10;
constexpr std::size_t kEpochs = 3;

// Largest differences after the first batch and after each epoch.
struct Distances {
  double batch = 0;
  std::vector<double> epochs;
};

struct Compared {
  PaperNetwork network;
  graph::Rule rule;
  Distances engines, nudged;  // graph to sweep; sweep with nudged prior means to sweep
  std::size_t refused = 0;    // stored messages that the graph could not take out

  double worst() const {
    return std::max(engines.batch, *std::max_element(engines.epochs.begin(), engines.epochs.end()));
  }
  bool is_within_goal() const { return worst() <= kGoal; }
  bool is_as_good_as_nudged() const {
    const auto holds = [](double found, double nudge) {
      return found <= std::max(kGoal, kTimesNudged * nudge);
    };
    bool out = holds(engines.batch, nudged.batch);
    for (std::size_t i = 0; i < engines.epochs.size(); ++i)
      out = out && holds(engines.epochs[i], nudged.epochs[i]);
    return out;
  }
};

Distances distances(const Course& found, const Course& expected) {
  Distances out{difference(found.batch, expected.batch).largest, {}};
  for (std::size_t i = 0; i < expected.epochs.size(); ++i)
    out.epochs.push_back(difference(found.epochs[i], expected.epochs[i]).largest);
  return out;
}

Course train_on_graph(experiments::GraphTrainer& graph, std::size_t batches) {
  Course out;
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch) {
    for (std::size_t batch = 0; batch < batches; ++batch) {
      graph.sweep(batch);
      if (epoch == 0 && batch == 0) out.batch = graph.weights();
    }
    out.epochs.push_back(graph.weights());
  }
  return out;
}

void compare(Compared& at, std::uint64_t seed) {
  const Problem problem = draw(at.network, seed, 0);
  const auto sweep = [&](const Problem& of) {
    return train_by_sweep(at.network, of, at.rule, network::Precision::float64, kEpochs);
  };
  const Course expected = sweep(problem);
  at.nudged = distances(sweep(nudged(problem, kNudge)), expected);
  experiments::GraphTrainer graph(at.network.task, problem, at.rule);
  at.engines = distances(train_on_graph(graph, at.network.task.batches), expected);
  at.refused = graph.refused_quotients();
}

Object to_object(const Compared& at) {
  return {{"max_relative_difference", {at.worst()}},
          {"after_batch", {at.engines.batch}},
          {"after_epoch", {at.engines.epochs}},
          {"nudged_after_batch", {at.nudged.batch}},
          {"nudged_after_epoch", {at.nudged.epochs}},
          {"refused_quotients", {static_cast<std::int64_t>(at.refused)}},
          {"within_goal", {at.is_within_goal()}},
          {"as_good_as_nudged", {at.is_as_good_as_nudged()}}};
}

std::vector<std::string> cells(const std::string& name, const Compared& at,
                               const std::string& against, const Distances& distances) {
  std::vector<std::string> out{name, std::string(to_string(at.rule)), against,
                               fmt::format("{:.1e}", distances.batch)};
  for (const double epoch : distances.epochs) out.push_back(fmt::format("{:.1e}", epoch));
  return out;
}

}  // namespace

Part equivalence(const Settings& settings) {
  std::vector<Compared> all;
  for (const PaperNetwork& network : fresh_networks())
    for (const graph::Rule rule : kBothRules)
      if (!settings.quick || !network.task.is_large) all.push_back({network, rule, {}, {}});
  Workers(settings.threads).run(all.size(), [&](std::size_t i) { compare(all[i], settings.seed); });

  Part part{"equivalence",
            {{"quick", {settings.quick}},
             {"goal", {kGoal}},
             {"nudge", {kNudge}},
             {"times_nudged", {kTimesNudged}}},
            {}};
  Table table(
      {"network", "rule", "sweep engine against", "one batch", "epoch 1", "epoch 2", "epoch 3"}, 3);
  Object networks;
  for (const Compared& at : all) {
    if (networks.empty() || networks.back().first != at.network.name)
      networks.push_back({at.network.name, {Object{}}});
    std::get<Object>(networks.back().second.value)
        .push_back({std::string(to_string(at.rule)), {to_object(at)}});
    table.add(cells(at.network.name, at, "graph engine", at.engines));
    table.add(cells("", at, "itself, nudged", at.nudged));
    const std::string bound =
        at.is_within_goal()
            ? fmt::format("goal {:.0e}", kGoal)
            : fmt::format("beyond {:.0e}, but at most {:.0f} times what a nudge of {:.0e} makes",
                          kGoal, kTimesNudged, kNudge);
    part.claims.push_back({fmt::format("{} {}: engines differ by at most {:.1e}, {}",
                                       at.network.name, to_string(at.rule), at.worst(), bound),
                           at.is_as_good_as_nudged()});
  }
  part.result.push_back({"networks", {networks}});
  fmt::print("\n  Largest relative difference of any belief, in double\n\n{}\n", table.text());
  return part;
}

}  // namespace postrider::bench
