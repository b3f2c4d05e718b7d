// How long until the paper's networks predict their training targets so and so well: our trainer by
// both rules, and Adam with every learning rate and batch size of a grid. All on one thread and in
// turns, seed by seed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "bench/epoch/contender.h"
#include "bench/quality/paper_networks.h"
#include "bench/quality/parts.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;
using experiments::Problem;
using experiments::Settings;

constexpr std::size_t kSeeds = 5, kEpochLimit = 100;
constexpr std::size_t kQuickSeeds = 1, kQuickEpochLimit = 3;
const std::vector<double> kRates{1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
const std::vector<double> kQuickRates{1e-2};

// A network with levels of training NLL per output, in nats, the last the hardest, and the batches
// of the grid. The lowest NLL there is: -0.19 and -0.88.
struct Race {
  PaperNetwork network;
  std::vector<double> goals;
  std::vector<std::size_t> batches;
};
std::vector<Race> races(bool quick) {
  const std::vector<PaperNetwork> networks = fresh_networks();
  std::vector<Race> out{{networks.front(), {0.5, 0, -0.1, -0.15}, {5, 20, 200}},
                        {networks.back(), {0, -0.5, -0.7, -0.8}, {15, 60, 1500}}};
  if (quick)
    for (Race& race : out) race.batches.resize(1);
  return out;
}

// One run: when each goal was first reached, infinite if it was not.
struct Reached {
  std::vector<double> seconds, epochs;
  double score = 0;  // at the end
};

constexpr double kNever = std::numeric_limits<double>::infinity();

// Negative log-likelihood per output.
double score_of(const network::Network& network, const Rows& rows, double noise) {
  const network::Network::OutputMoments predicted = network.predict({rows.inputs});
  double sum = 0;
  for (std::size_t i = 0; i < rows.targets.size(); ++i)
    sum -= Gaussian::from_moments(predicted.mean[i], predicted.variance[i] + noise)
               .log_density(rows.targets[i]);
  return sum / static_cast<double>(rows.targets.size());
}

// Notes when goals are reached, epoch by epoch.
class Watch {
 public:
  explicit Watch(const std::vector<double>& goals)
      : goals_(goals),
        found_{std::vector<double>(goals.size(), kNever),
               std::vector<double>(goals.size(), kNever)} {}

  // False when there is nothing left to reach.
  bool note(double seconds, double score) {
    seconds_ += seconds;
    epochs_ += 1;
    found_.score = score;
    for (std::size_t i = 0; i < goals_.size(); ++i)
      if (score <= goals_[i] && found_.seconds[i] == kNever) {
        found_.seconds[i] = seconds_;
        found_.epochs[i] = epochs_;
      }
    return std::isfinite(score) && found_.seconds.back() == kNever;
  }

  const Reached& found() const { return found_; }

 private:
  const std::vector<double>& goals_;
  Reached found_;
  double seconds_ = 0, epochs_ = 0;
};

Reached run_ours(const Race& race, const Problem& problem, graph::Rule rule, std::size_t limit) {
  const PaperNetwork& of = race.network;
  const Rows rows = rows_of(problem.training);
  network::Network network = make_network(of, problem, rule, network::Precision::float32);
  Watch watch(race.goals);
  TrainerOptions options = paper_training(of, limit);
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    return watch.note(report.seconds, score_of(network, rows, of.task.shape.noise_variance));
  };
  network::Trainer(network, options).fit({rows.inputs}, rows.targets, {}, callbacks);
  return watch.found();
}

// Its prediction has the variance of the true noise.
Reached run_adam(const Race& race, Contender& adam, std::size_t limit) {
  const double noise = race.network.task.shape.noise_variance;
  Watch watch(race.goals);
  for (std::size_t epoch = 0; epoch < limit; ++epoch) {
    const Stopwatch time;
    adam.epoch();
    const double seconds = time.seconds();
    const double score = 0.5 * std::log(2 * std::numbers::pi * noise) + adam.loss() / (2 * noise);
    if (!watch.note(seconds, score)) break;
  }
  return watch.found();
}

Case case_of(const PaperNetwork& network, double rate, std::size_t batch, std::uint64_t seed) {
  const experiments::NetworkShape& shape = network.task.shape;
  const std::vector<float> slopes(shape.slopes.begin(), shape.slopes.end());
  return {network.name, shape.widths, false, slopes, network.task.examples, batch, 0, rate, seed};
}

TrainingSet set_of(const Problem& problem) {
  const Rows rows = rows_of(problem.training);
  return {{rows.inputs.begin(), rows.inputs.end()}, {rows.targets.begin(), rows.targets.end()}};
}

// A method with one setting, over seeds.
struct Method {
  std::string name;
  double rate = 0;
  std::size_t batch = 0;
  std::vector<Reached> seeds = {};

  std::vector<double> column(std::vector<double> Reached::*part, std::size_t goal) const {
    std::vector<double> out;
    for (const Reached& seed : seeds) out.push_back((seed.*part)[goal]);
    return out;
  }
  double seconds(std::size_t goal) const { return median(column(&Reached::seconds, goal)); }
  double epochs(std::size_t goal) const { return median(column(&Reached::epochs, goal)); }
  std::size_t reached(std::size_t goal) const {
    return static_cast<std::size_t>(std::count_if(
        seeds.begin(), seeds.end(), [&](const Reached& at) { return at.seconds[goal] < kNever; }));
  }
};

// Most seeds reached, then least time.
const Method& best_of(const std::vector<Method>& grid, std::size_t goal) {
  return *std::min_element(grid.begin(), grid.end(), [&](const Method& a, const Method& b) {
    return a.reached(goal) != b.reached(goal) ? a.reached(goal) > b.reached(goal)
                                              : a.seconds(goal) < b.seconds(goal);
  });
}

Object to_object(const Method& method, std::size_t goal) {
  Object out;
  if (method.rate > 0) out.push_back({"learning_rate", {method.rate}});
  out.insert(out.end(), {{"batch", {static_cast<std::int64_t>(method.batch)}},
                         {"seconds", {method.seconds(goal)}},
                         {"epochs", {method.epochs(goal)}},
                         {"seeds_that_reached", {static_cast<std::int64_t>(method.reached(goal))}},
                         {"seconds_by_seed", {method.column(&Reached::seconds, goal)}}});
  return out;
}

using MakeAdam = std::unique_ptr<Contender> (*)(const Case&, const TrainingSet&);

// A contender: one setting, or all of a grid.
struct Entry {
  std::string name, key;
  std::vector<Method> grid;
  std::function<Reached(const Method&, const Problem&, std::uint64_t seed)> run;
};

std::vector<Entry> entries_of(const Race& race, const Settings& settings) {
  const std::size_t limit = settings.quick ? kQuickEpochLimit : kEpochLimit;
  std::vector<Entry> out;
  for (const auto& [rule, name] : {std::pair(graph::Rule::conditioned, std::string("conditioned")),
                                   std::pair(graph::Rule::direct, std::string("direct"))})
    out.push_back({"Postrider, " + name,
                   name,
                   {{name, 0, race.network.task.batch_size()}},
                   [&race, limit, rule](const Method&, const Problem& problem, std::uint64_t) {
                     return run_ours(race, problem, rule, limit);
                   }});
  std::vector<Method> grid;
  for (const double rate : settings.quick ? kQuickRates : kRates)
    for (const std::size_t batch : race.batches) grid.push_back({"Adam", rate, batch});
  const auto add = [&](const std::string& name, const std::string& key, MakeAdam make) {
    out.push_back(
        {name, key, grid,
         [&race, limit, make](const Method& method, const Problem& problem, std::uint64_t seed) {
           const Case of = case_of(race.network, method.rate, method.batch, seed);
           return run_adam(race, *make(of, set_of(problem)), limit);
         }});
  };
  add("Adam by hand", "hand_adam", make_hand_adam);
  if (torch_matrix_rate() > 0) add("libtorch's Adam", "libtorch_adam", make_torch_adam);
  return out;
}

std::vector<std::string> cells(const std::string& name, const Method& method, std::size_t goal) {
  const bool has_reached = method.seconds(goal) < kNever;
  return {name,
          method.rate > 0 ? fmt::format("{:g}", method.rate) : "-",
          fmt::format("{}", method.batch),
          fmt::format("{} of {}", method.reached(goal), method.seeds.size()),
          has_reached ? short_number(method.epochs(goal)) : "-",
          has_reached ? short_number(1e3 * method.seconds(goal)) : "-"};
}

// Every goal's best setting of each contender.
Object to_object(const Race& race, const std::vector<Entry>& entries) {
  Object goals;
  for (std::size_t goal = 0; goal < race.goals.size(); ++goal) {
    Table table({"method", "learning rate", "batch", "seeds that reached", "epochs", "ms"}, 1);
    Object found;
    for (const Entry& entry : entries) {
      const Method& best = best_of(entry.grid, goal);
      found.push_back({entry.key, {to_object(best, goal)}});
      table.add(cells(entry.name, best, goal));
    }
    fmt::print("\n  {}: until the training NLL per output is {}\n\n{}\n", race.network.name,
               race.goals[goal], table.text());
    goals.push_back({fmt::format("{:g}", race.goals[goal]), {found}});
  }
  std::vector<double> batches(race.batches.begin(), race.batches.end());
  return {{"network", {network_name(race.network.task.shape.widths)}},
          {"rows", {static_cast<std::int64_t>(race.network.task.examples)}},
          {"batches", {batches}},
          {"goals", {goals}}};
}

}  // namespace

Part time_to_quality(const Settings& settings) {
  const std::size_t seeds = settings.quick ? kQuickSeeds : kSeeds;
  const VectorRates before = measure_vector_rates(settings.quick);
  Part part{"time_to_quality", {}, {}};
  Object networks;
  for (const Race& race : races(settings.quick)) {
    std::vector<Entry> entries = entries_of(race, settings);
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const Problem problem = draw(race.network, settings.seed, seed);
      for (Entry& entry : entries)
        for (Method& method : entry.grid)
          method.seeds.push_back(entry.run(method, problem, settings.seed + seed));
    }
    networks.push_back({race.network.name, {to_object(race, entries)}});
    const double ours = entries.front().grid.front().seconds(race.goals.size() - 1);
    for (const Entry& entry : entries) {
      if (!entry.key.ends_with("_adam")) continue;
      const std::size_t goal = race.goals.size() - 1;
      const double theirs = best_of(entry.grid, goal).seconds(goal);
      part.claims.push_back(
          {fmt::format("{}: {} ms to an NLL of {}, where {} with its best setting takes {} ms",
                       race.network.name, short_number(1e3 * ours), race.goals.back(), entry.name,
                       short_number(1e3 * theirs)),
           ours <= theirs});
    }
  }
  const VectorRates after = measure_vector_rates(settings.quick);
  part.result = {
      {"quick", {settings.quick}},
      {"seeds", {static_cast<std::int64_t>(seeds)}},
      {"epoch_limit", {static_cast<std::int64_t>(settings.quick ? kQuickEpochLimit : kEpochLimit)}},
      {"learning_rates", {settings.quick ? kQuickRates : kRates}},
      {"calibration_before", {to_object(before)}},
      {"calibration_after", {to_object(after)}},
      {"networks", {networks}}};
  return part;
}

}  // namespace postrider::bench
