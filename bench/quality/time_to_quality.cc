// How long until the network of 1932 weights predicts its training targets well: our trainer, and Adam
// with every learning rate and batch size of a grid. All on one thread and in turns, seed by seed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
namespace {

using experiments::Object;
using experiments::Part;
using experiments::Problem;
using experiments::Settings;

constexpr double kGoal = -0.7;  // nats per output
constexpr std::size_t kSeeds = 5, kEpochLimit = 300;
constexpr std::size_t kQuickSeeds = 1, kQuickEpochLimit = 3;
const std::vector<double> kRates{3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
const std::vector<std::size_t> kBatches{15, 60};  // the first is the paper's
const std::vector<double> kQuickRates{1e-2};
const std::vector<std::size_t> kQuickBatches{15};

// One run; `seconds` is infinite if the goal was not reached.
struct Reached {
  double seconds, epochs, score;
};

constexpr double kNever = std::numeric_limits<double>::infinity();

// Negative log-likelihood per output.
double score_of(const Network& network, const Rows& rows, double noise) {
  const OutputRows predicted = network.predict({rows.inputs});
  double sum = 0;
  for (std::size_t i = 0; i < rows.targets.size(); ++i)
    sum -= Gaussian::from_moments(predicted.mean[i], predicted.variance[i] + noise)
               .log_density(rows.targets[i]);
  return sum / static_cast<double>(rows.targets.size());
}

Reached run_ours(const PaperNetwork& of, const Problem& problem, std::size_t limit) {
  const Rows rows = rows_of(problem.training);
  Network network = make_network(of, problem, Rule::conditioned, Precision::float32);
  Reached out{0, 0, 0};
  TrainerOptions options = paper_training(of, limit);
  options.progress = [&](const EpochReport& report) {
    out.seconds += report.seconds;
    out.epochs += 1;
    out.score = score_of(network, rows, of.task.shape.noise_variance);
    return out.score > kGoal;
  };
  Trainer(network, options).fit({rows.inputs}, rows.targets);
  if (!(out.score <= kGoal)) out.seconds = kNever;
  return out;
}

// Its prediction has the variance of the true noise.
Reached run_adam(Contender& adam, double noise, std::size_t limit) {
  Reached out{0, 0, 0};
  for (std::size_t epoch = 0; epoch < limit; ++epoch) {
    const Stopwatch watch;
    adam.epoch();
    out.seconds += watch.seconds();
    out.epochs += 1;
    out.score = 0.5 * std::log(2 * std::numbers::pi * noise) + adam.loss() / (2 * noise);
    if (out.score <= kGoal) return out;
    if (!std::isfinite(out.score)) break;
  }
  out.seconds = kNever;
  return out;
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

  std::vector<double> column(double Reached::*part) const {
    std::vector<double> out;
    for (const Reached& seed : seeds) out.push_back(seed.*part);
    return out;
  }
  double seconds() const { return median(column(&Reached::seconds)); }
  std::size_t reached() const {
    return static_cast<std::size_t>(std::count_if(
        seeds.begin(), seeds.end(), [](const Reached& at) { return at.seconds < kNever; }));
  }
};

Object to_object(const Method& method) {
  Object out;
  if (method.rate > 0) out.push_back({"learning_rate", {method.rate}});
  out.insert(out.end(), {{"batch", {static_cast<std::int64_t>(method.batch)}},
                         {"seconds", {method.seconds()}},
                         {"epochs", {median(method.column(&Reached::epochs))}},
                         {"score_at_end", {median(method.column(&Reached::score))}},
                         {"seeds_that_reached", {static_cast<std::int64_t>(method.reached())}},
                         {"seconds_by_seed", {method.column(&Reached::seconds)}},
                         {"epochs_by_seed", {method.column(&Reached::epochs)}}});
  return out;
}

// The settings of an Adam and the best of them: most seeds reached, then least time.
Object to_object(const std::vector<Method>& grid, const Method& best, double ours) {
  Object settings;
  for (const Method& method : grid)
    settings.push_back(
        {fmt::format("rate {:g}, batch {}", method.rate, method.batch), {to_object(method)}});
  Object out{{"best", {to_object(best)}}, {"grid", {settings}}};
  if (best.seconds() < kNever) out.push_back({"times_ours", {best.seconds() / ours}});
  return out;
}

Method best_of(const std::vector<Method>& grid) {
  return *std::min_element(grid.begin(), grid.end(), [](const Method& a, const Method& b) {
    return a.reached() != b.reached() ? a.reached() > b.reached() : a.seconds() < b.seconds();
  });
}

using MakeAdam = std::unique_ptr<Contender> (*)(const Case&, const TrainingSet&);

std::vector<std::string> cells(const Method& method) {
  const bool has_reached = method.seconds() < kNever;
  return {method.name,
          method.rate > 0 ? fmt::format("{:g}", method.rate) : "-",
          fmt::format("{}", method.batch),
          fmt::format("{} of {}", method.reached(), method.seeds.size()),
          has_reached ? short_number(median(method.column(&Reached::epochs))) : "-",
          has_reached ? short_number(1e3 * method.seconds()) : "-",
          fmt::format("{:.3f}", median(method.column(&Reached::score)))};
}

}  // namespace

Part time_to_quality(const Settings& settings) {
  const PaperNetwork network = fresh_networks().back();
  const double noise = network.task.shape.noise_variance;
  const std::size_t seeds = settings.quick ? kQuickSeeds : kSeeds;
  const std::size_t limit = settings.quick ? kQuickEpochLimit : kEpochLimit;
  Method ours{"Postrider", 0, network.task.batch_size()};
  struct Adam {
    std::string name, key;
    MakeAdam make;
    std::vector<Method> grid;
  };
  std::vector<Adam> adams{{"Adam by hand", "hand_adam", make_hand_adam, {}}};
  if (torch_matrix_rate() > 0)
    adams.push_back({"libtorch's Adam", "libtorch_adam", make_torch_adam, {}});
  for (Adam& adam : adams)
    for (const double rate : settings.quick ? kQuickRates : kRates)
      for (const std::size_t batch : settings.quick ? kQuickBatches : kBatches)
        adam.grid.push_back({adam.name, rate, batch});

  const VectorRates before = measure_vector_rates(settings.quick);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const Problem problem = draw(network, settings.seed, seed);
    const TrainingSet set = set_of(problem);
    ours.seeds.push_back(run_ours(network, problem, limit));
    for (Adam& adam : adams)
      for (Method& method : adam.grid) {
        const Case of = case_of(network, method.rate, method.batch, settings.seed + seed);
        method.seeds.push_back(run_adam(*adam.make(of, set), noise, limit));
      }
  }
  const VectorRates after = measure_vector_rates(settings.quick);

  Part part{"time_to_quality",
            {{"quick", {settings.quick}},
             {"network", {network_name(network.task.shape.widths)}},
             {"rows", {static_cast<std::int64_t>(network.task.examples)}},
             {"seeds", {static_cast<std::int64_t>(seeds)}},
             {"goal_nll", {kGoal}},
             {"epoch_limit", {static_cast<std::int64_t>(limit)}},
             {"calibration_before", {to_object(before)}},
             {"calibration_after", {to_object(after)}},
             {"postrider", {to_object(ours)}}},
            {}};
  Table table(
      {"method", "learning rate", "batch", "seeds that reached", "epochs", "ms", "NLL at the end"},
      1);
  table.add(cells(ours));
  for (const Adam& adam : adams) {
    const Method best = best_of(adam.grid);
    part.result.push_back({adam.key, {to_object(adam.grid, best, ours.seconds())}});
    for (const Method& method : adam.grid) table.add(cells(method));
    part.claims.push_back(
        {fmt::format("{} ms to an NLL of {}, where {} with its best setting takes {} ms",
                     short_number(1e3 * ours.seconds()), kGoal, adam.name,
                     short_number(1e3 * best.seconds())),
         ours.seconds() <= best.seconds()});
  }
  fmt::print(
      "\n  Until the training NLL per output is {}, at most {} epochs; medians of {} seeds\n\n{}\n",
      kGoal, limit, seeds, table.text());
  return part;
}

}  // namespace postrider::bench
