// Time and memory per weight as networks grow, from a thousand weights to thirty million.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "bench/common/program.h"
#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "postrider/trainer.h"

namespace postrider::bench {
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

struct Measured {
  std::size_t width, weights;
  double best, median;  // ns per edge and example
  double network_bytes, message_bytes;
};

Measured measure(std::size_t width, const Settings& settings) {
  RandomStream random(1, width);
  std::vector<double> inputs(kRows * width), targets(kRows * kOutputs);
  for (double& x : inputs) x = random.uniform(0.1, 1);
  for (double& y : targets) y = random.normal();

  Network network(NetworkOptions::dense(width, {width, width}, kOutputs));
  const auto weights = static_cast<double>(network.weight_count());
  std::vector<double> times;
  TrainerOptions options;  // the block is the trainer's own choice
  options.max_epochs = std::numeric_limits<std::size_t>::max();
  options.stopping = Stopping::epochs;
  options.group_size = kGroup;
  options.noise_variance = {kNoise};
  options.learn_noise = false;
  const Stopwatch all;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    // The first two touch the store's memory and learn examples one by one.
    if (report.epoch > 2) times.push_back(kNano * report.seconds / (weights * kRows));
    return times.size() < settings.repeats || (!settings.quick && all.seconds() < kSeconds);
  };
  Trainer trainer(network, options);
  trainer.fit({inputs}, targets, {}, callbacks);
  return {width,
          network.weight_count(),
          least(times),
          median(times),
          static_cast<double>(network.memory_bytes()) / weights,
          static_cast<double>(trainer.store_bytes()) / (weights * (kRows / kGroup))};
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
  Table table({"network", "weights", "ns per edge and example: best", "median",
               "bytes per weight: beliefs and priors", "a stored message"},
              1);
  std::vector<Measured> all;
  std::vector<double> weights;
  for (const std::size_t width : widths) {
    all.push_back(measure(width, settings));
    const Measured& last = all.back();
    weights.push_back(static_cast<double>(last.weights));
    table.add({network_name({width, width, width, kOutputs}), fmt::format("{}", last.weights),
               fmt::format("{:.3f}", last.best), fmt::format("{:.3f}", last.median),
               fmt::format("{:.1f}", last.network_bytes),
               fmt::format("{:.1f}", last.message_bytes)});
  }
  const VectorRates after = measure_vector_rates(settings.quick);
  const std::vector<double> medians = column(all, &Measured::median);
  const double ratio = *std::max_element(medians.begin(), medians.end()) / least(medians);
  fmt::print("\n  Training n-n-n-{} networks, {} rows in groups of {}, one thread\n\n{}\n",
             kOutputs, kRows, kGroup, table.text());
  return {"growth",
          {{"quick", {settings.quick}},
           {"rows", {static_cast<std::int64_t>(kRows)}},
           {"group_size", {static_cast<std::int64_t>(kGroup)}},
           {"worst_to_best", {ratio}},
           {"goal", {kGoal}},
           {"weights", {weights}},
           {"ns_per_edge_and_example", {medians}},
           {"best_ns_per_edge_and_example", {column(all, &Measured::best)}},
           {"network_bytes_per_weight", {column(all, &Measured::network_bytes)}},
           {"message_bytes_per_weight", {column(all, &Measured::message_bytes)}},
           {"calibration_before", {to_object(before)}},
           {"calibration_after", {to_object(after)}}},
          {{fmt::format("worst to best time per edge: {:.2f}, goal at most {}", ratio, kGoal),
            ratio <= kGoal}}};
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
