// Float against double: the same training in both, belief by belief. A nudge of the prior means by half
// a unit in float's last place, trained in double, tells how much of the difference is the
// network's own doing.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/workers.h"
#include "bench/common/stopwatch.h"
#include "bench/common/table.h"
#include "bench/quality/paper_networks.h"
#include "bench/quality/parts.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;
using experiments::Problem;
using experiments::Settings;

constexpr double kGoal = 1e-3;
constexpr std::size_t kGoalEpoch = 3;
constexpr double kNudge = 0x1p-24;
constexpr std::size_t kEpochs = 10, kSeeds = 3, kQuickSeeds = 1;

// One seed, after each epoch.
struct Seed {
  std::vector<Difference> in_float, nudged;
};

struct Compared {
  PaperNetwork network;
  graph::Rule rule;
  std::vector<Seed> seeds;
};

std::vector<Difference> differences(const Course& found, const Course& expected) {
  std::vector<Difference> out;
  for (std::size_t i = 0; i < expected.epochs.size(); ++i)
    out.push_back(difference(found.epochs[i], expected.epochs[i]));
  return out;
}

Seed compare(const Compared& at, std::uint64_t seed, std::size_t index) {
  const Problem problem = draw(at.network, seed, index);
  const auto train = [&](const Problem& of, network::Precision precision) {
    return train_by_sweep(at.network, of, at.rule, precision, kEpochs);
  };
  const Course expected = train(problem, network::Precision::float64);
  return {differences(train(problem, network::Precision::float32), expected),
          differences(train(nudged(problem, kNudge), network::Precision::float64), expected)};
}

// Per epoch: the largest over seeds of the largest difference, and the median over seeds of the
// median difference.
struct Columns {
  std::vector<double> largest, median;
};

Columns over_seeds(const Compared& at, std::vector<Difference> Seed::*which) {
  Columns out;
  for (std::size_t epoch = 0; epoch < kEpochs; ++epoch) {
    double largest = 0;
    std::vector<double> medians;
    for (const Seed& seed : at.seeds) {
      largest = std::max(largest, (seed.*which)[epoch].largest);
      medians.push_back((seed.*which)[epoch].median);
    }
    out.largest.push_back(largest);
    out.median.push_back(median(medians));
  }
  return out;
}

}  // namespace

Part float_growth(const Settings& settings) {
  std::vector<Compared> all;
  const std::size_t seeds = settings.quick ? kQuickSeeds : kSeeds;
  for (const PaperNetwork& network : fresh_networks())
    for (const graph::Rule rule : kBothRules)
      all.push_back({network, rule, std::vector<Seed>(seeds)});
  Workers(settings.threads).run(all.size() * seeds, [&](std::size_t i) {
    Compared& at = all[i / seeds];
    at.seeds[i % seeds] = compare(at, settings.seed, i % seeds);
  });

  Part part{"float_growth",
            {{"quick", {settings.quick}},
             {"seeds", {static_cast<std::int64_t>(seeds)}},
             {"goal", {kGoal}},
             {"goal_epoch", {static_cast<std::int64_t>(kGoalEpoch)}},
             {"nudge", {kNudge}}},
            {}};
  Table table({"network", "rule", "beliefs", "epoch 1", "epoch 3", "epoch 10", "nudged: epoch 1",
               "epoch 3", "epoch 10"},
              3);
  Object networks;
  for (const Compared& at : all) {
    const Columns found = over_seeds(at, &Seed::in_float), nudge = over_seeds(at, &Seed::nudged);
    const auto cells = [&](const std::string& name, const std::string& which,
                           std::vector<double> Columns::*part_of) {
      std::vector<std::string> out{name, std::string(to_string(at.rule)), which};
      for (const Columns* columns : {&found, &nudge})
        for (const std::size_t epoch : {std::size_t{1}, kGoalEpoch, kEpochs})
          out.push_back(fmt::format("{:.1e}", (columns->*part_of)[epoch - 1]));
      return out;
    };
    table.add(cells(at.network.name, "largest", &Columns::largest));
    table.add(cells("", "median", &Columns::median));
    const double worst = found.largest[kGoalEpoch - 1];
    part.claims.push_back(
        {fmt::format("{} {}: every belief in float within {:.1e} of double after {} epochs, goal "
                     "{:.0e}",
                     at.network.name, to_string(at.rule), worst, kGoalEpoch, kGoal),
         worst <= kGoal});
    if (networks.empty() || networks.back().first != at.network.name)
      networks.push_back({at.network.name, {Object{}}});
    std::get<Object>(networks.back().second.value)
        .push_back({std::string(to_string(at.rule)),
                    {Object{{"largest", {found.largest}},
                            {"median", {found.median}},
                            {"nudged_largest", {nudge.largest}},
                            {"nudged_median", {nudge.median}},
                            {"after_goal_epoch", {worst}},
                            {"within_goal", {worst <= kGoal}}}}});
  }
  part.result.push_back({"networks", {networks}});
  fmt::print("\n  Relative difference of beliefs in float from those in double, {} seeds\n\n{}\n",
             seeds, table.text());
  return part;
}

}  // namespace postrider::bench
