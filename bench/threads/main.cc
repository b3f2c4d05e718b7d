// One large network on one thread and on two, in turns: what a second thread gains, and that it costs
// nothing in quality.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "bench/common/program.h"
#include "bench/common/stopwatch.h"
#include "bench/common/table.h"
#include "bench/epoch/network_of.h"
#include "experiments/common/images.h"
#include "postrider/network/trainer.h"

namespace postrider::bench {
namespace {

using experiments::Object;
using experiments::Part;

constexpr unsigned kThreads = 2;
// The first epochs touch memory, and learn examples one by one.
constexpr std::size_t kEpochs = 4, kUncounted = 2;
constexpr std::size_t kQuickBatches = 2;
constexpr double kNoiseVariance = 0.1;
constexpr double kGoalSpeedup = 1.6;  // of case e
constexpr double kGoalPoints = 0.3;   // of accuracy, or hundredths of a nat
constexpr double kMilli = 1e3, kPercent = 100;

struct Trained {
  double seconds = 0;  // of an epoch, the best of those counted
  double score = 0;    // of the last epoch, nats
  double accuracy = std::nan("");
};

// For images that were not learned: how many have their class as the largest output, in percent.
double accuracy_of(const network::Network& network, const experiments::Images& images) {
  const std::vector<double> inputs(images.pixels.begin(), images.pixels.end());
  const std::vector<double> mean = network.predict({inputs}).mean;
  std::size_t right = 0;
  for (std::size_t r = 0; r < images.labels.size(); ++r) {
    const auto first = mean.begin() + static_cast<std::ptrdiff_t>(r * experiments::kClasses);
    right += std::max_element(first, first + experiments::kClasses) - first == images.labels[r];
  }
  return kPercent * static_cast<double>(right) / static_cast<double>(images.labels.size());
}

Trained train(const Case& of, const TrainingSet& set, unsigned threads,
              const experiments::Images* test) {
  TrainerOptions options;
  options.max_epochs = kEpochs;
  options.stopping = TrainerOptions::Stopping::epochs;
  options.group_size = of.batch;
  options.noise_variance = {kNoiseVariance};
  options.learn_noise = false;
  options.threads = threads;
  Trained out;
  std::vector<double> seconds;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    if (report.epoch > kUncounted) seconds.push_back(report.seconds);
    out.score = report.score;
    return true;
  };
  network::Network network(network_of(of));
  network::Trainer trainer(network, options);
  trainer.fit({std::vector<double>(set.inputs.begin(), set.inputs.end())},
              std::vector<double>(set.targets.begin(), set.targets.end()), {}, callbacks);
  out.seconds = least(seconds);
  if (test != nullptr) out.accuracy = accuracy_of(network, *test);
  return out;
}

struct Measured {
  std::string name;
  Case of;
  std::vector<double> one, two;  // seconds, round by round
  Trained first_one, first_two;

  std::vector<double> speedups() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < one.size(); ++i) out.push_back(one[i] / two[i]);
    return out;
  }
  double speedup() const { return median(speedups()); }
  double best_speedup() const {
    const std::vector<double> all = speedups();
    return *std::max_element(all.begin(), all.end());
  }
  bool has_accuracy() const { return !std::isnan(first_one.accuracy); }
  // Percentage points of accuracy, or of a nat where there is none.
  double points_lost() const {
    return has_accuracy() ? first_one.accuracy - first_two.accuracy
                          : kPercent * (first_one.score - first_two.score);
  }
};

Measured measure(const std::string& name, const Case& of, const TrainingSet& set,
                 std::size_t repeats, const experiments::Images* test = nullptr) {
  std::printf("  %s ...\r", name.c_str());
  std::fflush(stdout);
  Measured out{name, of, {}, {}, {}, {}};
  for (std::size_t round = 0; round < repeats; ++round) {
    const Trained one = train(of, set, 1, test), two = train(of, set, kThreads, test);
    out.one.push_back(one.seconds);
    out.two.push_back(two.seconds);
    if (round == 0) {
      out.first_one = one;
      out.first_two = two;
    }
  }
  return out;
}

Object to_object(const Measured& measured) {
  Object quality{{"score_one_thread", {measured.first_one.score}},
                 {"score_two_threads", {measured.first_two.score}},
                 {"points_lost", {measured.points_lost()}}};
  if (measured.has_accuracy()) {
    quality.push_back({"accuracy_one_thread", {measured.first_one.accuracy}});
    quality.push_back({"accuracy_two_threads", {measured.first_two.accuracy}});
  }
  return {{"network", {measured.of.network()}},
          {"rows", {static_cast<std::int64_t>(measured.of.rows)}},
          {"batch", {static_cast<std::int64_t>(measured.of.batch)}},
          {"one_thread_ms", {kMilli * median(measured.one)}},
          {"two_threads_ms", {kMilli * median(measured.two)}},
          {"best_one_thread_ms", {kMilli * least(measured.one)}},
          {"best_two_threads_ms", {kMilli * least(measured.two)}},
          {"speedup", {measured.speedup()}},
          {"best_speedup", {measured.best_speedup()}},
          {"quality", {quality}}};
}

std::vector<Measured> measure_all(const Settings& settings) {
  std::vector<Measured> out;
  for (Case of : all_cases()) {
    if (std::find(settings.cases.begin(), settings.cases.end(), of.name) == settings.cases.end())
      continue;
    if (settings.quick) of.rows = kQuickBatches * of.batch;
    out.push_back(measure(of.name, of, random_set(of), settings.repeats));
    if (of.name != "d" || settings.data.empty()) continue;
    const experiments::Images test =
        experiments::read_images(settings.data, "mnist", experiments::ImageSet::test, of.rows);
    out.push_back(measure("d-mnist", of, mnist_set(of, settings.data), settings.repeats, &test));
  }
  return out;
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : std::nan("");
}

Part threads(const Settings& settings) {
  const double load = load_average();
  Table table({"case", "network", "rows / batch", "one thread, ms", "two", "speed-up (best)",
               "points lost"},
              2);
  Object cases;
  Part part{"threads", {}, {}};
  for (const Measured& measured : measure_all(settings)) {
    table.add(
        {measured.name, measured.of.network(),
         fmt::format("{} / {}", measured.of.rows, measured.of.batch),
         short_number(kMilli * median(measured.one)), short_number(kMilli * median(measured.two)),
         short_number(measured.speedup()) + " (" + short_number(measured.best_speedup()) + ")",
         short_number(measured.points_lost())});
    cases.push_back({measured.name, {to_object(measured)}});
    part.claims.push_back({fmt::format("{}: two threads lose {} points, at most {}", measured.name,
                                       measured.points_lost(), kGoalPoints),
                           std::abs(measured.points_lost()) <= kGoalPoints});
    if (measured.name == "e")
      part.claims.push_back({fmt::format("e: two threads are {} times as fast as one, goal {}",
                                         short_number(measured.speedup()), kGoalSpeedup),
                             measured.speedup() >= kGoalSpeedup});
  }
  fmt::print("\n  Milliseconds per epoch, medians of {} rounds; ratios within a round\n\n{}\n",
             settings.repeats, table.text());
  fmt::print("  load of the machine before: {:.2f}\n", load);
  part.result = {{"repeats", {static_cast<std::int64_t>(settings.repeats)}},
                 {"quick", {settings.quick}},
                 {"threads", {static_cast<std::int64_t>(kThreads)}},
                 {"load_before", {load}},
                 {"goal_speedup", {kGoalSpeedup}},
                 {"goal_points", {kGoalPoints}},
                 {"cases", {cases}}};
  return part;
}

}  // namespace
}  // namespace postrider::bench

int main(int argc, char** argv) {
  using namespace postrider::bench;
  Program program;
  program.what = "Times an epoch of one large network on one thread and on two.";
  program.full_folder = POSTRIDER_RESULTS;
  program.quick_folder = POSTRIDER_QUICK_RESULTS;
  program.cases = {"d", "e"};
  program.repeats = 5;
  program.takes_data = true;
  program.run = threads;
  return run_program(argc, argv, program);
}
