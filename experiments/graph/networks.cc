// The paper's two regression networks, trained by its algorithm on a graph of one example, and on
// the same data by a program on plain arrays.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>
#include <utility>

#include "base/workers.h"
#include "common/spread.h"
#include "comparison.h"
#include "parts.h"
#include "plain_network.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kSeeds = 20, kQuickSeeds = 3;
constexpr std::size_t kQuickEpochs = 2;  // of the large network
// On plain arrays alone, for the small networks: 20 seeds do not pin down a median.
constexpr std::size_t kManySeeds = 500;
constexpr double kPaperStop = 0.1, kLongerStop = 0.01;  // relative change of the log-likelihood
// Weights after the first batch and the first epoch; an epoch that magnifies a nudge may magnify
// rounding as much.
constexpr double kAfterBatch = 1e-12, kAfterEpoch = 1e-9, kTimesNudged = 10;
// Medians of the scores at the end. Direct messages on the large network magnify rounding by ten
// orders of magnitude in each epoch (see the nudged weights); tables have two digits.
constexpr double kMediansAgree = 1e-9, kMediansAgreeUnstable = 1e-3;

// Median and interquartile range.
struct Earlier {
  double median, range;
};

// What a program that came before this one, with other random numbers, found over 20 seeds.
struct EarlierScores {
  Earlier training, beyond, epochs;
};

// Methods that differ in nothing but the stopping rule share a run, the loosest stop first.
struct Method {
  std::string name;
  double stop;
  EarlierScores earlier;
};
struct Run {
  std::string network;
  NetworkTask task;
  bool same_means;
  graph::Rule rule;
  std::vector<Method> methods;
};

std::vector<Run> all_runs() {
  using enum Rule;
  // Large ones first: they take longest, and the small ones then fill the gaps.
  return {
      {"w1932_fresh",
       large_task(),
       false,
       direct,
       {{"direct", kPaperStop, {{-0.568, 0.243}, {-0.236, 1.690}, {5.5, 3.25}}}}},
      {"w1932_fresh",
       large_task(),
       false,
       conditioned,
       {{"conditioned", kPaperStop, {{-0.822, 0.016}, {-1.052, 0.141}, {2, 0}}},
        {"conditioned_longer", kLongerStop, {{-0.849, 0.015}, {-1.116, 0.088}, {4, 0}}}}},
      {"w83_fresh",
       small_task(),
       false,
       direct,
       {{"direct", kPaperStop, {{-0.111, 0.066}, {1.664, 2.784}, {6, 4.5}}}}},
      {"w83_fresh",
       small_task(),
       false,
       conditioned,
       {{"conditioned", kPaperStop, {{-0.142, 0.066}, {0.573, 1.406}, {4, 1}}}}},
      {"w83_same",
       small_task(),
       true,
       direct,
       {{"direct", kPaperStop, {{-0.102, 0.058}, {0.099, 1.375}, {7.5, 8.25}}}}},
      {"w83_same",
       small_task(),
       true,
       conditioned,
       {{"conditioned", kPaperStop, {{-0.132, 0.082}, {-0.025, 1.300}, {4, 1.25}}}}},
  };
}

// One column of scores over the seeds.
struct Column {
  std::vector<double> graph, plain;
  Spread found, on_arrays, earlier;
};

Column column(std::span<const Outcome> outcomes, std::size_t method, double Scores::*which,
              const Earlier& earlier, std::uint64_t seed) {
  Column out;
  for (const Outcome& outcome : outcomes) {
    out.graph.push_back(outcome.graph[method].*which);
    out.plain.push_back(outcome.plain[method].*which);
  }
  out.found = spread(out.graph, RandomStream(seed, 0));
  out.on_arrays = spread(out.plain, RandomStream(seed, 0));
  out.earlier = bell_spread(earlier.median, earlier.range, kSeeds);
  return out;
}

Object describe(const Spread& found) {
  return {{"median", {found.median}},
          {"iqr", {found.range}},
          {"standard_error", {found.standard_error}}};
}

Object describe(const Column& column) {
  Object out = describe(column.found);
  out.insert(out.end(), {{"plain_median", {column.on_arrays.median}},
                         {"plain_iqr", {column.on_arrays.range}},
                         {"other_seeds_median", {column.earlier.median}},
                         {"other_seeds_iqr", {column.earlier.range}},
                         {"other_seeds_standard_error", {column.earlier.standard_error}},
                         {"by_seed", {column.graph}},
                         {"plain_by_seed", {column.plain}}});
  return out;
}

// The plain program over many seeds, to the run's first stop.
Object describe_many(std::span<const Scores> scores, std::uint64_t seed) {
  const auto over = [&](double Scores::*which) {
    std::vector<double> values;
    for (const Scores& at : scores) values.push_back(at.*which);
    return describe(spread(values, RandomStream(seed, 0)));
  };
  return {{"seeds", {static_cast<std::int64_t>(scores.size())}},
          {"training_nll", {over(&Scores::training)}},
          {"extrapolation_nll", {over(&Scores::beyond)}},
          {"epochs", {over(&Scores::epochs)}}};
}

std::string note(const std::string& name, const Column& column) {
  const double error = std::hypot(column.found.standard_error, column.earlier.standard_error);
  return fmt::format(
      "{}: median {:.3f} ({:.3f}), IQR {:.2f}; an earlier program on other seeds {:.3f} ({:.3f}), "
      "IQR {:.2f}: {:.1f} standard errors apart",
      name, column.found.median, column.found.standard_error, column.found.range,
      column.earlier.median, column.earlier.standard_error, column.earlier.range,
      std::abs(column.found.median - column.earlier.median) / error);
}

// The lowest score there is: of targets with noise, and of targets without.
double floor_with_noise(const NetworkTask& task) {
  return std::log(2 * std::numbers::pi * std::numbers::e * task.shape.noise_variance) / 2;
}
double floor_without_noise(const NetworkTask& task) {
  return std::log(2 * std::numbers::pi * task.shape.noise_variance) / 2;
}

// Largest difference between the two programs, over seeds.
double largest_gap(const Column& column) {
  double out = 0;
  for (std::size_t i = 0; i < column.graph.size(); ++i)
    out = std::max(out, std::abs(column.graph[i] - column.plain[i]));
  return out;
}

Object describe(const Run& run, std::size_t method, std::span<const Outcome> outcomes,
                std::uint64_t seed, Part& part) {
  const Method& at = run.methods[method];
  const Column training = column(outcomes, method, &Scores::training, at.earlier.training, seed);
  const Column beyond = column(outcomes, method, &Scores::beyond, at.earlier.beyond, seed);
  const Column epochs = column(outcomes, method, &Scores::epochs, at.earlier.epochs, seed);
  const std::string name = run.network + " " + at.name;
  const double apart = std::max(std::abs(training.found.median - training.on_arrays.median),
                                std::abs(beyond.found.median - beyond.on_arrays.median));
  std::size_t same_epochs = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    same_epochs += epochs.graph[i] == epochs.plain[i] ? 1 : 0;
  part.claims.push_back(
      {fmt::format(
           "{}: medians as on plain arrays, to {:.1e}; of single seeds, training to {:.1e}, "
           "extrapolation to {:.1e}, {} of {} with the same number of epochs",
           name, apart, largest_gap(training), largest_gap(beyond), same_epochs, outcomes.size()),
       apart <= (run.task.is_large && run.rule == graph::Rule::direct ? kMediansAgreeUnstable
                                                                      : kMediansAgree)});
  if (outcomes.size() == kSeeds) {
    part.notes.push_back(note(name + ", training NLL", training));
    part.notes.push_back(note(name + ", extrapolation NLL", beyond));
  }
  return {{"stop_at_relative_change", {at.stop}},
          {"epoch_limit", {static_cast<std::int64_t>(run.task.epochs)}},
          {"training_floor", {floor_with_noise(run.task)}},
          {"extrapolation_floor", {floor_without_noise(run.task)}},
          {"training_nll", {describe(training)}},
          {"extrapolation_nll", {describe(beyond)}},
          {"epochs", {describe(epochs)}}};
}

// What the run did, to its last stop.
Object describe(const Run& run, std::span<const Outcome> outcomes, Part& part) {
  double seconds = 0;
  Distances worst;
  bool is_finite = true, agree = true;
  std::int64_t refused = 0, improper = 0, messages = 0;
  std::array<std::int64_t, graph::kEventCount> counts{};
  for (const Outcome& outcome : outcomes) {
    seconds += outcome.seconds;
    const Distances& at = outcome.distances;
    agree = agree && at.batch <= kAfterBatch &&
            at.epoch <= std::max(kAfterEpoch, kTimesNudged * at.nudged);
    worst = {std::max(worst.batch, at.batch), std::max(worst.epoch, at.epoch),
             std::max(worst.nudged, at.nudged)};
    for (const Scores& scores : outcome.graph)
      is_finite = is_finite && std::isfinite(scores.training) && std::isfinite(scores.beyond);
    refused += static_cast<std::int64_t>(outcome.refused_quotients);
    improper += static_cast<std::int64_t>(outcome.record.improper);
    messages += static_cast<std::int64_t>(outcome.record.messages);
    for (std::size_t e = 0; e < graph::kEventCount; ++e)
      counts[e] += static_cast<std::int64_t>(outcome.record.events[e]);
  }
  Object events;
  for (std::size_t e = 1; e < graph::kEventCount; ++e)
    events.push_back({std::string(to_string(static_cast<graph::Event>(e))), {counts[e]}});
  const std::string name = run.network + " " + run.methods.front().name;
  part.claims.push_back(
      {fmt::format("{}: finite scores, {} improper messages, {} refused quotients", name, improper,
                   refused),
       is_finite && improper == 0 && refused == 0});
  part.claims.push_back(
      {fmt::format("{}: all weights as on plain arrays; largest difference {:.1e} after a batch, "
                   "{:.1e} after an epoch, where a nudge of {:.0e} grows to {:.1e}",
                   name, worst.batch, worst.epoch, kNudge, worst.nudged),
       agree});
  return {{"seeds", {static_cast<std::int64_t>(outcomes.size())}},
          {"distance_after_batch", {worst.batch}},
          {"distance_after_epoch", {worst.epoch}},
          {"distance_of_nudged_after_epoch", {worst.nudged}},
          {"messages", {messages}},
          {"improper_messages", {improper}},
          {"refused_quotients", {refused}},
          {"events", {events}},
          {"seconds", {seconds}}};
}

}  // namespace

Part networks(const Settings& settings) {
  std::vector<Run> runs = all_runs();
  struct Job {
    std::size_t run, seed;
    bool is_plain;
  };
  std::vector<Job> jobs;
  std::vector<std::vector<Outcome>> outcomes;
  std::vector<std::vector<Scores>> many;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (settings.quick && runs[r].task.is_large) runs[r].task.epochs = kQuickEpochs;
    const std::size_t quick_seeds = runs[r].task.is_large ? 1 : kQuickSeeds;
    outcomes.emplace_back(settings.quick ? quick_seeds : kSeeds);
    many.emplace_back(settings.quick || runs[r].task.is_large ? 0 : kManySeeds);
    for (std::size_t seed = 0; seed < outcomes[r].size(); ++seed) jobs.push_back({r, seed, false});
    for (std::size_t seed = 0; seed < many[r].size(); ++seed) jobs.push_back({r, seed, true});
  }
  Workers(settings.threads).run(jobs.size(), [&](std::size_t i) {
    const auto [r, seed, is_plain] = jobs[i];
    const Run& run = runs[r];
    std::vector<double> stops;
    for (const Method& method : run.methods) stops.push_back(method.stop);
    // One stream per seed and network, the same for all rules: they see the same data.
    const RandomStream random(settings.seed, 2 * seed + (run.task.is_large ? 1 : 0));
    const Problem problem = draw(run.task, run.same_means, random);
    if (is_plain) {
      PlainNetwork plain(run.task, problem, run.rule == graph::Rule::conditioned);
      many[r][seed] = train(plain, run.task, problem, stops).front();
      return;
    }
    Outcome& out = outcomes[r][seed];
    out = compare(run.task, problem, run.rule, stops);
    fmt::print(stderr, "{} {}, seed {}: {} epochs, {:.1f} s, training NLL {:.3f}\n", run.network,
               run.methods.front().name, seed, out.graph.back().epochs, out.seconds,
               out.graph.back().training);
  });

  Part out{"networks", {}, {}, {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (r == 0 || runs[r].network != runs[r - 1].network)
      out.result.push_back({runs[r].network, {Object{}}});
    Object& network = std::get<Object>(out.result.back().second.value);
    const Object work = describe(runs[r], outcomes[r], out);
    for (std::size_t m = 0; m < runs[r].methods.size(); ++m) {
      Object found = describe(runs[r], m, outcomes[r], settings.seed, out);
      if (m == 0 && !many[r].empty())
        found.push_back({"plain_many_seeds", {describe_many(many[r], settings.seed)}});
      if (m + 1 == runs[r].methods.size()) found.push_back({"work", {work}});
      network.push_back({runs[r].methods[m].name, {std::move(found)}});
    }
  }
  return out;
}

}  // namespace postrider::experiments
