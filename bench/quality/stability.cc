// Far more epochs than anybody trains, in float: does anything break or creep?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
using experiments::Settings;

constexpr double kDriftGoal = 1e-5;
constexpr std::size_t kEpochs = 200, kSeeds = 20;
constexpr std::size_t kQuickEpochs = 5, kQuickSeeds = 2;

// One seed, or all of them.
struct Health {
  std::size_t completed = 0;  // runs that came to their last epoch
  std::size_t improper = 0;   // beliefs after an epoch that are no proper Gaussian, or no number
  double drift = 0;           // largest of any epoch
  std::size_t linearised = 0, silent = 0, bounded = 0;

  void add(const Health& other) {
    completed += other.completed;
    improper += other.improper;
    drift = std::max(drift, other.drift);
    linearised += other.linearised;
    silent += other.silent;
    bounded += other.bounded;
  }
};

struct Run {
  PaperNetwork network;
  graph::Rule rule;
  std::vector<Health> seeds;
};

std::size_t count_improper(const network::Network& network) {
  std::size_t out = 0;
  for (std::size_t k = 0; k < network.weight_count(); ++k) {
    const Gaussian belief = network.weight(k);
    out += belief.is_proper() && std::isfinite(belief.tau()) ? 0 : 1;
  }
  return out;
}

Health train(const Run& run, std::uint64_t seed, std::size_t index, std::size_t epochs) {
  const experiments::Problem problem = draw(run.network, seed, index);
  network::Network network =
      make_network(run.network, problem, run.rule, network::Precision::float32);
  Health out;
  TrainerOptions options = paper_training(run.network, epochs);
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    out.add({0, count_improper(network), report.drift, report.linearised, report.silent,
             report.bounded});
    return true;
  };
  const Rows rows = rows_of(problem.training);
  const FitReport report =
      network::Trainer(network, options).fit({rows.inputs}, rows.targets, {}, callbacks);
  // A run that ends early had a belief or a score that was no number: its reason says so.
  out.completed = report.reason == FitReport::StopReason::max_epochs ? 1 : 0;
  return out;
}

Object to_object(const Health& sum, const std::vector<double>& drifts, bool holds) {
  return {{"completed_runs", {static_cast<std::int64_t>(sum.completed)}},
          {"improper_beliefs", {static_cast<std::int64_t>(sum.improper)}},
          {"largest_drift", {sum.drift}},
          {"median_drift", {median(drifts)}},
          {"linearised", {static_cast<std::int64_t>(sum.linearised)}},
          {"silent", {static_cast<std::int64_t>(sum.silent)}},
          {"bounded", {static_cast<std::int64_t>(sum.bounded)}},
          {"largest_drift_by_seed", {drifts}},
          {"reached", {holds}}};
}

}  // namespace

Part stability(const Settings& settings) {
  const std::size_t seeds = settings.quick ? kQuickSeeds : kSeeds;
  const std::size_t epochs = settings.quick ? kQuickEpochs : kEpochs;
  std::vector<Run> runs;
  for (const PaperNetwork& network : paper_networks())
    for (const graph::Rule rule : kBothRules)
      runs.push_back({network, rule, std::vector<Health>(seeds)});
  // The last network takes longest: it goes first, and the others fill the gaps.
  Workers(settings.threads).run(runs.size() * seeds, [&](std::size_t i) {
    Run& run = runs[runs.size() - 1 - i / seeds];
    run.seeds[i % seeds] = train(run, settings.seed, i % seeds, epochs);
  });

  Part part{"stability",
            {{"quick", {settings.quick}},
             {"seeds", {static_cast<std::int64_t>(seeds)}},
             {"epochs", {static_cast<std::int64_t>(epochs)}},
             {"drift_goal", {kDriftGoal}}},
            {}};
  Table table({"network", "rule", "completed", "improper beliefs", "largest drift", "linearised",
               "silent", "bounded"},
              2);
  Object networks;
  for (const Run& run : runs) {
    Health sum;
    std::vector<double> drifts;
    for (const Health& seed : run.seeds) {
      sum.add(seed);
      drifts.push_back(seed.drift);
    }
    const bool holds = sum.completed == seeds && sum.improper == 0 && sum.drift <= kDriftGoal;
    const std::string rule(to_string(run.rule));
    if (networks.empty() || networks.back().first != run.network.name)
      networks.push_back({run.network.name, {Object{}}});
    std::get<Object>(networks.back().second.value)
        .push_back({rule, {to_object(sum, drifts, holds)}});
    table.add({run.network.name, rule, fmt::format("{} of {}", sum.completed, seeds),
               fmt::format("{}", sum.improper), fmt::format("{:.1e}", sum.drift),
               fmt::format("{}", sum.linearised), fmt::format("{}", sum.silent),
               fmt::format("{}", sum.bounded)});
    part.claims.push_back(
        {fmt::format("{} {}: {} of {} runs of {} epochs with numbers throughout, {} improper "
                     "beliefs, drift at most {:.1e}, goal {:.0e}",
                     run.network.name, rule, sum.completed, seeds, epochs, sum.improper, sum.drift,
                     kDriftGoal),
         holds});
  }
  part.result.push_back({"networks", {networks}});
  fmt::print("\n  {} epochs in float, {} seeds; counters over all epochs and seeds\n\n{}\n", epochs,
             seeds, table.text());
  return part;
}

}  // namespace postrider::bench
