// The paper's two regression networks, trained by its algorithm on a graph of one example.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "base/random.h"
#include "base/workers.h"
#include "network.h"
#include "parts.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kSeeds = 20, kQuickSeeds = 3;
constexpr double kPaperStop = 0.1, kLongerStop = 0.01,
                 kFloor = 1e-6;  // relative change of the log-likelihood
constexpr std::size_t kPointsPerSide = 30;
// The median of n draws from a bell of this interquartile range strays by 0.93 IQR / sqrt(n), the
// difference of two such medians by sqrt(2) times that. Three of these pass as close.
constexpr double kStray = 3 * std::numbers::sqrt2 * 0.93;

struct Task {
  NetworkShape shape;
  bool is_large;  // which feature map
  std::size_t examples, batches, epochs;
  double low, high, reach;  // inputs, and how far beyond them the extrapolation goes
};

Task small_task() {
  return {{{8, 6, 5, 1}, {0.4, 0.8}, 0.04}, false, 200, 10, 200, -2.5, 1.5, 1.5};
}

Task large_task() {
  return {{{6, 6, 12, 48, 24, 4}, {0.5, 0.5, 0.8, 0.1}, 0.01}, true, 1500, 100, 100, -4, 4, 2};
}

// The fixed first layer: bumps and waves, standardised over [-5, 5], and a constant.
class Features {
 public:
  explicit Features(bool is_large) : is_large_(is_large) {
    const std::vector<double> grid = linear_steps(-5, 5, 1001);
    mean_.resize(raw(0).size());
    deviation_.resize(mean_.size());
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      for (const double x : grid) mean_[k] += raw(x)[k] / static_cast<double>(grid.size());
      double variance = 0;
      for (const double x : grid)
        variance += std::pow(raw(x)[k] - mean_[k], 2) / static_cast<double>(grid.size());
      deviation_[k] = std::sqrt(variance);
    }
  }

  std::vector<double> operator()(double x) const {
    std::vector<double> out = raw(x);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = (out[k] - mean_[k]) / deviation_[k];
    out.push_back(1);
    return out;
  }

 private:
  std::vector<double> raw(double x) const {
    const auto bump = [x](double centre) { return std::exp(-(x - centre) * (x - centre)); };
    if (is_large_) return {x, bump(-1), bump(0), bump(1), std::sin(x)};
    return {x, bump(-2), bump(-1), bump(0), bump(1), bump(2), std::sin(x)};
  }

  bool is_large_;
  std::vector<double> mean_, deviation_;
};

struct Example {
  std::vector<double> inputs, targets;
};

// What one seed draws: equal for both rules, and but for the prior means for both kinds of prior.
struct Problem {
  std::vector<Gaussian> prior;
  std::vector<Example> training, beyond;  // the targets beyond are without noise
};

Problem draw(const Task& task, bool same_means, RandomStream random) {
  Problem out;
  const NetworkShape& shape = task.shape;
  const auto learned_layers = static_cast<double>(shape.widths.size() - 1);
  std::vector<double> truth;
  for (std::size_t l = 1; l < shape.widths.size(); ++l) {
    const auto fan_in = static_cast<double>(shape.widths[l - 1]);
    const double variance = 1 / (learned_layers * fan_in);
    for (std::size_t k = 0; k < shape.widths[l] * shape.widths[l - 1]; ++k) {
      const double mean = random.normal() / std::sqrt(fan_in);
      const double fresh = random.normal() / std::sqrt(fan_in);
      truth.push_back(mean + std::sqrt(variance) * random.normal());
      out.prior.push_back(Gaussian::from_moments(same_means ? mean : fresh, variance));
    }
  }
  const Features features(task.is_large);
  for (std::size_t n = 0; n < task.examples; ++n) {
    Example example{features(random.uniform(task.low, task.high)), {}};
    example.targets = evaluate(shape, truth, example.inputs);
    for (double& y : example.targets) y += std::sqrt(shape.noise_variance) * random.normal();
    out.training.push_back(std::move(example));
  }
  for (const double from : {task.low - task.reach, task.high})
    for (const double x : linear_steps(from, from + task.reach, kPointsPerSide)) {
      const std::vector<double> inputs = features(x);
      out.beyond.push_back({inputs, evaluate(shape, truth, inputs)});
    }
  return out;
}

// Negative log-likelihood per example and output.
double score(Network& network, const NetworkShape& shape, const std::vector<Example>& examples) {
  double sum = 0;
  for (const Example& example : examples) {
    const std::vector<Gaussian> predicted = network.predict(example.inputs);
    for (std::size_t i = 0; i < predicted.size(); ++i)
      sum -= Gaussian::from_moments(predicted[i].mean(),
                                    predicted[i].variance() + shape.noise_variance)
                 .log_density(example.targets[i]);
  }
  return sum / static_cast<double>(examples.size() * shape.outputs());
}

struct Outcome {
  double training = 0, beyond = 0, epochs = 0, seconds = 0;
  std::size_t refused_quotients = 0;
  Record record;
};

// Takes the batch's old message out of the weights, sweeps its examples and stores what they say
// now. Where the quotient has no positive precision the old message stays in: counted, not hidden.
std::size_t sweep(Network& network, std::span<const Example> batch, std::vector<Gaussian>& stored) {
  std::size_t refused = 0;
  std::vector<Gaussian> cavity(stored.size());
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const Gaussian belief = network.weight(k);
    cavity[k] = belief / stored[k];
    if (!cavity[k].is_proper()) {
      ++refused;
      // Dividing the new belief by this leaves the old message in the stored one, too.
      cavity[k] = belief;
      continue;
    }
    stored[k] = Gaussian::uniform();
    network.set_weight(k, cavity[k]);
  }
  for (const Example& example : batch) network.learn(example.inputs, example.targets);
  for (std::size_t k = 0; k < stored.size(); ++k) stored[k] *= network.weight(k) / cavity[k];
  return refused;
}

// One outcome per stopping rule, the loosest first: the run goes on from one to the next.
std::vector<Outcome> train(const Task& task, const Problem& problem, Rule rule,
                           std::span<const double> stops) {
  const auto start = std::chrono::steady_clock::now();
  Network network(task.shape, rule);
  for (std::size_t k = 0; k < problem.prior.size(); ++k) network.set_weight(k, problem.prior[k]);
  std::vector<std::vector<Gaussian>> stored(task.batches,
                                            std::vector<Gaussian>(problem.prior.size()));
  const std::size_t size = task.examples / task.batches;
  Outcome out;
  std::vector<Outcome> outs;
  for (std::size_t epoch = 1; epoch <= task.epochs; ++epoch) {
    for (std::size_t b = 0; b < task.batches; ++b)
      out.refused_quotients +=
          sweep(network, std::span(problem.training).subspan(b * size, size), stored[b]);
    const double before = out.training;
    out.training = score(network, task.shape, problem.training);
    out.epochs = static_cast<double>(epoch);
    const double change = std::abs(out.training - before) / std::max(kFloor, std::abs(before));
    const bool is_last = epoch == task.epochs;
    while (outs.size() < stops.size() && (is_last || (epoch > 1 && change < stops[outs.size()]))) {
      out.beyond = score(network, task.shape, problem.beyond);
      out.record = network.record();
      out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      outs.push_back(out);
    }
    if (outs.size() == stops.size()) break;
  }
  return outs;
}

struct Spread {
  double median, range;  // between the quartiles
};

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(place);
    const std::size_t j = std::min(i + 1, values.size() - 1);
    return std::lerp(values[i], values[j], place - static_cast<double>(i));
  };
  return {quantile(0.5), quantile(0.75) - quantile(0.25)};
}

// What an independent program on plain arrays, with its own random numbers, found over 20 seeds.
struct Reference {
  Spread training, beyond, epochs;
};

// Runs that differ in nothing but the stopping rule follow each other and are trained in one go.
struct Run {
  std::string network, method;
  Task task;
  bool same_means;
  Rule rule;
  double stop;
  Reference reference;
};

Object describe(const Spread& found, const Spread& reference) {
  return {{"median", {found.median}},
          {"iqr", {found.range}},
          {"reference_median", {reference.median}},
          {"reference_iqr", {reference.range}}};
}

Claim is_close(const std::string& name, const Spread& found, const Spread& reference) {
  const double allowed = kStray * std::max(found.range, reference.range) / std::sqrt(kSeeds);
  return {fmt::format("{}: median {:.3f} [{:.2f}], on plain arrays {:.3f} [{:.2f}]; may differ by "
                      "{:.2f}",
                      name, found.median, found.range, reference.median, reference.range, allowed),
          std::abs(found.median - reference.median) <= allowed};
}

bool continues(const Run& run, const Run& before) {
  return run.network == before.network && run.rule == before.rule;
}

std::vector<Run> all_runs() {
  std::vector<Run> out;
  const auto add = [&](const std::string& network, const std::string& method, double stop,
                       const Reference& reference) {
    out.push_back({network, method, network == "w1932_fresh" ? large_task() : small_task(),
                   network == "w83_same", method == "direct" ? Rule::direct : Rule::conditioned,
                   stop, reference});
  };
  // Large ones first: they take longest, and the small ones then fill the gaps.
  add("w1932_fresh", "direct", kPaperStop, {{-0.568, 0.243}, {-0.236, 1.690}, {5.5, 3.25}});
  add("w1932_fresh", "conditioned", kPaperStop, {{-0.822, 0.016}, {-1.052, 0.141}, {2, 0}});
  add("w1932_fresh", "conditioned_longer", kLongerStop, {{-0.849, 0.015}, {-1.116, 0.088}, {4, 0}});
  add("w83_fresh", "direct", kPaperStop, {{-0.111, 0.066}, {1.664, 2.784}, {6, 4.5}});
  add("w83_fresh", "conditioned", kPaperStop, {{-0.142, 0.066}, {0.573, 1.406}, {4, 1}});
  add("w83_same", "direct", kPaperStop, {{-0.102, 0.058}, {0.099, 1.375}, {7.5, 8.25}});
  add("w83_same", "conditioned", kPaperStop, {{-0.132, 0.082}, {-0.025, 1.300}, {4, 1.25}});
  return out;
}

Object describe(const Run& run, const std::vector<Outcome>& outcomes, std::vector<Claim>& claims) {
  std::vector<double> training, beyond, epochs;
  double seconds = 0;
  std::int64_t refused = 0, improper = 0, messages = 0;
  std::array<std::int64_t, kEventCount> counts{};
  for (const Outcome& outcome : outcomes) {
    training.push_back(outcome.training);
    beyond.push_back(outcome.beyond);
    epochs.push_back(outcome.epochs);
    seconds += outcome.seconds;
    refused += static_cast<std::int64_t>(outcome.refused_quotients);
    improper += static_cast<std::int64_t>(outcome.record.improper);
    messages += static_cast<std::int64_t>(outcome.record.messages);
    for (std::size_t e = 0; e < kEventCount; ++e)
      counts[e] += static_cast<std::int64_t>(outcome.record.events[e]);
  }
  Object events;
  for (std::size_t e = 1; e < kEventCount; ++e)
    events.push_back({std::string(to_string(static_cast<Event>(e))), {counts[e]}});
  const std::string name = run.network + " " + run.method;
  const bool is_sound = std::ranges::all_of(beyond, [](double x) { return std::isfinite(x); });
  claims.push_back({fmt::format("{}: finite scores, {} improper messages, {} refused quotients",
                                name, improper, refused),
                    is_sound && improper == 0 && refused == 0});
  const Spread at_home = spread(training), abroad = spread(beyond);
  if (outcomes.size() == kSeeds) {
    claims.push_back(is_close(name + ", training NLL", at_home, run.reference.training));
    claims.push_back(is_close(name + ", extrapolation NLL", abroad, run.reference.beyond));
  }
  return {{"stop_at_relative_change", {run.stop}},
          {"epoch_limit", {static_cast<std::int64_t>(run.task.epochs)}},
          {"training_nll", {describe(at_home, run.reference.training)}},
          {"extrapolation_nll", {describe(abroad, run.reference.beyond)}},
          {"epochs", {describe(spread(epochs), run.reference.epochs)}},
          {"training_nll_by_seed", {training}},
          {"extrapolation_nll_by_seed", {beyond}},
          {"epochs_by_seed", {epochs}},
          {"messages", {messages}},
          {"improper_messages", {improper}},
          {"refused_quotients", {refused}},
          {"events", {events}},
          {"ns_per_message", {1e9 * seconds / static_cast<double>(messages)}}};
}

}  // namespace

Part networks(const Settings& settings) {
  std::vector<Run> runs = all_runs();
  struct Job {
    std::size_t run, seed;
  };
  std::vector<Job> jobs;
  std::vector<std::vector<Outcome>> outcomes;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (settings.quick && runs[r].task.is_large) runs[r].task.epochs = 2;
    const std::size_t quick_seeds = runs[r].task.is_large ? 1 : kQuickSeeds;
    outcomes.emplace_back(settings.quick ? quick_seeds : kSeeds);
    if (r > 0 && continues(runs[r], runs[r - 1])) continue;
    for (std::size_t seed = 0; seed < outcomes[r].size(); ++seed) jobs.push_back({r, seed});
  }
  Workers(settings.threads).run(jobs.size(), [&](std::size_t i) {
    const auto [first, seed] = jobs[i];
    const Run& run = runs[first];
    std::vector<double> stops{run.stop};
    for (std::size_t r = first + 1; r < runs.size() && continues(runs[r], runs[r - 1]); ++r)
      stops.push_back(runs[r].stop);
    // One stream per seed and network, the same for all rules: they see the same data.
    const RandomStream random(settings.seed, 2 * seed + (run.task.is_large ? 1 : 0));
    const std::vector<Outcome> found =
        train(run.task, draw(run.task, run.same_means, random), run.rule, stops);
    for (std::size_t s = 0; s < found.size(); ++s) outcomes[first + s][seed] = found[s];
  });

  Part out{"networks", {}, {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Object described = describe(runs[r], outcomes[r], out.claims);
    if (r == 0 || runs[r].network != runs[r - 1].network)
      out.result.push_back({runs[r].network, {Object{}}});
    std::get<Object>(out.result.back().second.value)
        .push_back({runs[r].method, {std::move(described)}});
  }
  return out;
}

}  // namespace postrider::experiments
