// Time and memory per weight as networks grow, from a thousand weights to thirty million: of one network,
// and of a member of an ensemble.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "bench/common/program.h"
#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "postrider/network/trainer.h"
#include "train/fleet.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;

constexpr double kGoal = 2.5;  // the worst time per edge and example to the best
constexpr double kNano = 1e9;
constexpr std::size_t kOutputs = 10;
// Two groups: the largest network's messages stay below half a gigabyte.
constexpr std::size_t kRows = 128, kGroup = 64;
constexpr double kNoise = 0.1;
// Widths of n-n-n-10 for about 10^3, 10^3.5, ... weights, and 3 10^7 at the end.
const std::vector<std::size_t> kWidths{20, 38, 69, 124, 222, 396, 706, 1256, 2234, 3870};
constexpr std::size_t kQuickSizes = 6;
// Epochs of small networks are repeated for this long.
constexpr double kSeconds = 0.3;
// Beyond so many weights one member is measured: sixteen would take gigabytes and minutes, and if they are
// trained one after another, each takes as long as one.
constexpr std::size_t kMembers = 16, kMostWeights = 1'200'000;

struct Measured {
  std::size_t width, weights;
  double best, median;  // ns per edge and example
  double network_bytes, message_bytes;
  std::size_t members;
  double member_best, member_median;  // ns per edge, example and member
};

struct Rows {
  std::vector<double> inputs, targets;

  explicit Rows(std::size_t width) : inputs(kRows * width), targets(kRows * kOutputs) {
    RandomStream random(1, width);
    for (double& x : inputs) x = random.uniform(0.1, 1);
    for (double& y : targets) y = random.normal();
  }
};

TrainerOptions trainer_options() {
  TrainerOptions options;  // the block is the trainer's own choice
  options.max_epochs = std::numeric_limits<std::size_t>::max();
  options.stopping = TrainerOptions::Stopping::epochs;
  options.group_size = kGroup;
  options.noise_variance = {kNoise};
  options.learn_noise = false;
  return options;
}

// Takes the times of epochs, in ns per edge and example of one network, until there are enough.
class Times {
 public:
  Times(double weights, const Settings& settings) : weights_(weights), settings_(settings) {}

  TrainingCallbacks callbacks() {
    TrainingCallbacks out;
    out.progress = [this](const EpochReport& report) {
      // The first two touch the store's memory and learn examples one by one. All members of a pack tell
      // its time, divided by their number.
      if (report.epoch > 2 && report.member == 0)
        times_.push_back(kNano * report.seconds / (weights_ * kRows));
      return times_.size() < settings_.repeats || (!settings_.quick && all_.seconds() < kSeconds);
    };
    return out;
  }
  double best() const { return least(times_); }
  double middle() const { return median(times_); }

 private:
  double weights_;
  const Settings& settings_;
  Stopwatch all_;
  std::vector<double> times_;
};

// Networks that differ in their prior means, trained as an estimator trains its members.
Times time_members(const network::NetworkOptions& options, const Rows& of,
                   const Settings& settings) {
  std::vector<network::Network> networks;
  for (std::size_t m = 0; m < kMembers; ++m) {
    network::NetworkOptions own = options;
    own.seed = m + 1;
    networks.emplace_back(own);
  }
  const TrainingRows rows({of.inputs}, options.inputs, options.precision);
  std::vector<TrainingJob> jobs;
  for (network::Network& network : networks) jobs.push_back({network, {rows, of.targets}, {}});
  Times times(static_cast<double>(networks.front().weight_count()), settings);
  fit_all(jobs, trainer_options(), times.callbacks());
  return times;
}

Measured measure(std::size_t width, const Settings& settings) {
  const Rows rows(width);
  const network::NetworkOptions options =
      network::NetworkOptions::dense(width, {width, width}, kOutputs);
  network::Network network(options);
  const auto weights = static_cast<double>(network.weight_count());
  Times alone(weights, settings);
  network::Trainer trainer(network, trainer_options());
  trainer.fit({rows.inputs}, rows.targets, {}, alone.callbacks());
  Measured out{width,
               network.weight_count(),
               alone.best(),
               alone.middle(),
               static_cast<double>(network.memory_bytes()) / weights,
               static_cast<double>(trainer.store_bytes()) / (weights * (kRows / kGroup)),
               1,
               alone.best(),
               alone.middle()};
  if (out.weights > kMostWeights) return out;
  const Times together = time_members(options, rows, settings);
  out.members = kMembers;
  out.member_best = together.best();
  out.member_median = together.middle();
  return out;
}

std::vector<double> column(const std::vector<Measured>& all, double Measured::*part) {
  std::vector<double> out;
  for (const Measured& measured : all) out.push_back(measured.*part);
  return out;
}

Part growth(const Settings& settings) {
  const VectorRates before = measure_vector_rates(settings.quick);
  std::vector<std::size_t> widths = kWidths;
  if (settings.quick) widths.resize(kQuickSizes);
  Table table(
      {"network", "weights", "ns per edge and example: best", "median", "members",
       "per member: best", "median", "bytes per weight: beliefs and priors", "a stored message"},
      1);
  std::vector<Measured> all;
  std::vector<double> weights, members;
  for (const std::size_t width : widths) {
    all.push_back(measure(width, settings));
    const Measured& last = all.back();
    weights.push_back(static_cast<double>(last.weights));
    members.push_back(static_cast<double>(last.members));
    table.add({network_name({width, width, width, kOutputs}), fmt::format("{}", last.weights),
               fmt::format("{:.3f}", last.best), fmt::format("{:.3f}", last.median),
               fmt::format("{}", last.members), fmt::format("{:.3f}", last.member_best),
               fmt::format("{:.3f}", last.member_median), fmt::format("{:.1f}", last.network_bytes),
               fmt::format("{:.1f}", last.message_bytes)});
  }
  const VectorRates after = measure_vector_rates(settings.quick);
  const std::vector<double> medians = column(all, &Measured::median);
  const std::vector<double> of_members = column(all, &Measured::member_median);
  const auto worst_to_best = [](const std::vector<double>& times) {
    return *std::max_element(times.begin(), times.end()) / least(times);
  };
  const double ratio = worst_to_best(medians), member_ratio = worst_to_best(of_members);
  fmt::print("\n  Training n-n-n-{} networks, {} rows in groups of {}, one thread\n\n{}\n",
             kOutputs, kRows, kGroup, table.text());
  return {"growth",
          {{"quick", {settings.quick}},
           {"rows", {static_cast<std::int64_t>(kRows)}},
           {"group_size", {static_cast<std::int64_t>(kGroup)}},
           {"worst_to_best", {ratio}},
           {"members_worst_to_best", {member_ratio}},
           {"goal", {kGoal}},
           {"weights", {weights}},
           {"ns_per_edge_and_example", {medians}},
           {"best_ns_per_edge_and_example", {column(all, &Measured::best)}},
           {"members", {members}},
           {"ns_per_edge_example_and_member", {of_members}},
           {"best_ns_per_edge_example_and_member", {column(all, &Measured::member_best)}},
           {"network_bytes_per_weight", {column(all, &Measured::network_bytes)}},
           {"message_bytes_per_weight", {column(all, &Measured::message_bytes)}},
           {"calibration_before", {to_object(before)}},
           {"calibration_after", {to_object(after)}}},
          {{fmt::format("one network: worst to best time per edge {:.2f}, goal at most {}", ratio,
                        kGoal),
            ratio <= kGoal},
           {fmt::format("members of an ensemble: {:.2f}, goal at most {}", member_ratio, kGoal),
            member_ratio <= kGoal}}};
}

}  // namespace
}  // namespace postrider::bench

int main(int argc, char** argv) {
  using namespace postrider::bench;
  Program program;
  program.what = "Times training per weight as networks grow.";
  program.full_folder = POSTRIDER_RESULTS;
  program.quick_folder = POSTRIDER_QUICK_RESULTS;
  program.repeats = 5;
  program.run = growth;
  return run_program(argc, argv, program);
}
