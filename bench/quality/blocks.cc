// Sweeping several examples from one snapshot of the beliefs reads them once per block instead of once
// per example. What that saves, and what it costs in accuracy on MNIST.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/random.h"
#include "bench/common/roofs.h"
#include "bench/common/stopwatch.h"
#include "bench/common/swept.h"
#include "bench/common/table.h"
#include "bench/quality/parts.h"
#include "experiments/common/images.h"
#include "postrider/network/trainer.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;
using experiments::Settings;

constexpr double kGoal = 0.3;  // points of accuracy between one by one and the largest block
constexpr std::size_t kTraining = 60'000, kTest = 10'000, kSeeds = 3;
constexpr std::size_t kQuickTraining = 1'000, kQuickTest = 500, kQuickSeeds = 1;
const std::vector<std::size_t> kBlocks{1, 2, 4, 8}, kHidden{256, 256};
// Rows per call: the trainer chooses the block anew for each, so the first rows of all, which it
// learns one by one, are few.
constexpr std::size_t kRowsPerCall = 100;
// Targets of the right class and of the others, and the deviation of their noise.
constexpr double kRight = 1, kWrong = -0.1, kDeviation = 0.05;

std::vector<double> targets_of(const experiments::Images& images) {
  std::vector<double> out;
  for (const std::uint8_t label : images.labels)
    for (std::size_t k = 0; k < experiments::kClasses; ++k)
      out.push_back(label == k ? kRight : kWrong);
  return out;
}

// In another order for every seed.
experiments::Images shuffled(const experiments::Images& images, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<std::size_t> order(images.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto j =
        std::min(i, static_cast<std::size_t>(random.uniform(0, static_cast<double>(i + 1))));
    order[i] = order[j];
    order[j] = i;
  }
  experiments::Images out;
  for (const std::size_t i : order) {
    const auto first =
        images.pixels.begin() + static_cast<std::ptrdiff_t>(i * experiments::kPixels);
    out.pixels.insert(out.pixels.end(), first, first + experiments::kPixels);
    out.labels.push_back(images.labels[i]);
  }
  return out;
}

// Per cent of images whose class has the largest output mean.
double accuracy(const network::Network& network, const experiments::Images& images,
                unsigned threads) {
  const std::vector<double> inputs(images.pixels.begin(), images.pixels.end());
  const network::Network::OutputMoments predicted = network.predict({inputs}, threads);
  std::size_t right = 0;
  for (std::size_t n = 0; n < images.labels.size(); ++n) {
    const double* const first = &predicted.mean[n * experiments::kClasses];
    right +=
        std::max_element(first, first + experiments::kClasses) - first == images.labels[n] ? 1 : 0;
  }
  return 100 * static_cast<double>(right) / static_cast<double>(images.labels.size());
}

struct Outcome {
  double accuracy, seconds;
};

Outcome train(const experiments::Images& training, const experiments::Images& test,
              std::size_t block, std::uint64_t seed, unsigned threads) {
  network::NetworkOptions shape =
      network::NetworkOptions::dense(experiments::kPixels, kHidden, experiments::kClasses);
  shape.seed = seed;
  network::Network network(shape);
  TrainerOptions options;
  options.block = block;
  options.noise_variance = {kDeviation * kDeviation};
  options.learn_noise = false;
  network::Trainer trainer(network, options);
  const std::vector<double> targets = targets_of(training);
  double seconds = 0;
  for (std::size_t first = 0; first < training.labels.size(); first += kRowsPerCall) {
    const std::size_t count = std::min(kRowsPerCall, training.labels.size() - first);
    const auto pixels = std::span(training.pixels)
                            .subspan(first * experiments::kPixels, count * experiments::kPixels);
    const std::vector<double> inputs(pixels.begin(), pixels.end());
    const Stopwatch watch;
    trainer.partial_fit({inputs}, std::span(targets).subspan(first * experiments::kClasses,
                                                             count * experiments::kClasses));
    seconds += watch.seconds();
  }
  return {accuracy(network, test, threads), seconds};
}

// One block size over seeds.
struct Column {
  std::size_t block;
  std::vector<double> accuracy = {}, seconds = {};

  double mean_accuracy() const {
    double sum = 0;
    for (const double at : accuracy) sum += at;
    return sum / static_cast<double>(accuracy.size());
  }
};

}  // namespace

Part blocks(const Settings& settings) {
  const std::size_t seeds = settings.quick ? kQuickSeeds : kSeeds;
  const experiments::Images all =
      experiments::read_images(settings.data, "mnist", experiments::ImageSet::training,
                               settings.quick ? kQuickTraining : kTraining);
  const experiments::Images test = experiments::read_images(
      settings.data, "mnist", experiments::ImageSet::test, settings.quick ? kQuickTest : kTest);
  std::vector<Column> columns;
  for (const std::size_t block : kBlocks) columns.push_back({block});
  const VectorRates before = measure_vector_rates(settings.quick);
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const experiments::Images training = shuffled(all, settings.seed + seed);
    for (Column& column : columns) {
      const Outcome outcome =
          train(training, test, column.block, settings.seed + seed, settings.threads);
      column.accuracy.push_back(outcome.accuracy);
      column.seconds.push_back(outcome.seconds);
    }
  }
  const VectorRates after = measure_vector_rates(settings.quick);

  Table table({"block", "test accuracy, %", "lowest", "highest", "seconds", "to one by one"}, 0);
  Object by_block;
  const double alone = median(columns.front().seconds);
  for (const Column& column : columns) {
    const auto [low, high] = std::minmax_element(column.accuracy.begin(), column.accuracy.end());
    const double seconds = median(column.seconds);
    table.add({fmt::format("{}", column.block), fmt::format("{:.2f}", column.mean_accuracy()),
               fmt::format("{:.2f}", *low), fmt::format("{:.2f}", *high), short_number(seconds),
               fmt::format("{:.2f}", seconds / alone)});
    by_block.push_back({fmt::format("{}", column.block),
                        {Object{{"accuracy", {column.mean_accuracy()}},
                                {"accuracy_by_seed", {column.accuracy}},
                                {"seconds", {seconds}},
                                {"seconds_by_seed", {column.seconds}}}}});
  }
  std::vector<std::size_t> widths{experiments::kPixels};
  widths.insert(widths.end(), kHidden.begin(), kHidden.end());
  widths.push_back(experiments::kClasses);
  const double lost = columns.front().mean_accuracy() - columns.back().mean_accuracy();
  fmt::print("\n  MNIST, {}, {} images each learned once, {} to test, one thread, {} seeds\n\n{}\n",
             network_name(widths), all.labels.size(), test.labels.size(), seeds, table.text());
  return {
      "blocks",
      {{"quick", {settings.quick}},
       {"network", {network_name(widths)}},
       {"training_images", {static_cast<std::int64_t>(all.labels.size())}},
       {"test_images", {static_cast<std::int64_t>(test.labels.size())}},
       {"seeds", {static_cast<std::int64_t>(seeds)}},
       {"noise_variance", {kDeviation * kDeviation}},
       {"blocks", {by_block}},
       {"lost_points", {lost}},
       {"goal", {kGoal}},
       {"calibration_before", {to_object(before)}},
       {"calibration_after", {to_object(after)}}},
      {{fmt::format("block {} loses {:.2f} points of accuracy against one by one, goal at most {}",
                    columns.back().block, lost, kGoal),
        lost <= kGoal}}};
}

}  // namespace postrider::bench
