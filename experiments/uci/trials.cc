// What else was tried: one change of the defaults at a time.
#include <fmt/format.h>

#include <cstdio>
#include <functional>

#include "parts.h"
#include "trial.h"

namespace postrider::experiments {
namespace {

const std::vector<std::string> kSets{"bostonHousing", "concrete", "energy", "wine-quality-red",
                                     "yacht"};
const std::vector<std::string> kQuickSets{"yacht"};
constexpr std::size_t kSplits = 5, kQuickSplits = 1;

struct Trial {
  std::string name;
  std::function<void(EstimatorOptions&)> change;
};

std::vector<Trial> all_trials() {
  std::vector<Trial> out{{"defaults", [](EstimatorOptions&) {}}};
  const auto add = [&](const std::string& name, auto change) { out.push_back({name, change}); };
  for (const double weights : {0.5, 0.7, 1.4, 2.0, 4.0, 0.0})
    add(weights > 0 ? fmt::format("{} weights per example", weights) : "no limit of the widths",
        [=](EstimatorOptions& o) { o.weights_per_example = weights; });
  for (const double power : {1.0, 2.0, 3.0, 4.0})
    add(fmt::format("messages to the power {}", power),
        [=](EstimatorOptions& o) { o.power = power; });
  add("no limit, messages to the power 4", [](EstimatorOptions& o) {
    o.weights_per_example = 0;
    o.power = 4;
  });
  for (const double renewed : {0.25, 0.5})
    add(fmt::format("damping: {} of a message renewed", renewed),
        [=](EstimatorOptions& o) { o.training.damping = 1 - renewed; });
  add("no limit, messages to the power 4, half of a message renewed", [](EstimatorOptions& o) {
    o.weights_per_example = 0;
    o.power = 4;
    o.training.damping = 0.5;
  });
  for (const std::size_t members : {std::size_t{1}, std::size_t{3}, std::size_t{20}})
    add(fmt::format("members: {}", members),
        [=](EstimatorOptions& o) { o.ensemble_size = members; });
  for (const std::size_t epochs : {std::size_t{0}, std::size_t{5}, std::size_t{20}})
    add(fmt::format("{} epochs of constant noise", epochs),
        [=](EstimatorOptions& o) { o.training.constant_noise_epochs = epochs; });
  for (const std::vector<std::size_t>& hidden :
       {std::vector<std::size_t>{50}, {200}, {50, 50, 50}, {100, 100}})
    add(fmt::format("hidden layers: {}", fmt::join(hidden, ", ")),
        [=](EstimatorOptions& o) { o.hidden = hidden; });
  for (const std::size_t patience : {std::size_t{5}, std::size_t{10}, std::size_t{40}})
    add(fmt::format("patience {}", patience),
        [=](EstimatorOptions& o) { o.training.patience = patience; });
  add("the last epoch instead of the best",
      [](EstimatorOptions& o) { o.training.stopping = TrainerOptions::Stopping::epochs; });
  add("100 epochs", [](EstimatorOptions& o) { o.training.max_epochs = 100; });
  for (const std::size_t size : {std::size_t{2}, std::size_t{10}})
    add(fmt::format("{} examples per stored message", size),
        [=](EstimatorOptions& o) { o.training.group_size = size; });
  add("examples in another order every epoch",
      [](EstimatorOptions& o) { o.training.shuffle = TrainerOptions::Shuffle::every_epoch; });
  for (const double slope : {0.0, 0.2, 0.5})
    add(fmt::format("slope {}", slope), [=](EstimatorOptions& o) {
      o.slope = slope;
      if (slope == 0) o.activation = network::Activation::relu;
    });
  add("four groups at a time", [](EstimatorOptions& o) { o.training.parallel_groups = 4; });
  add("constant noise", [](EstimatorOptions& o) { o.varying_noise = false; });
  add("double precision", [](EstimatorOptions& o) { o.precision = network::Precision::float64; });
  return out;
}

}  // namespace

Part trials(const Settings& settings) {
  Part part{"trials", {}, {}, {}};
  std::vector<UciSet> sets;
  for (const std::string& name : settings.quick ? kQuickSets : kSets)
    sets.push_back(read_uci_set(settings.data, name));
  std::size_t failures = 0;
  for (const Trial& trial : all_trials()) {
    EstimatorOptions options;
    options.training.seed = settings.seed;
    trial.change(options);
    Object entry;
    for (const UciSet& set : sets) {
      const std::vector<Tested> tested =
          test_splits(set, settings.quick ? kQuickSplits : kSplits, options, settings);
      failures += failures_of(tested);
      entry.push_back({set.name, {describe(tested)}});
    }
    fmt::print("  {}\n", trial.name);
    std::fflush(stdout);
    part.result.push_back({trial.name, {entry}});
  }
  part.claims.push_back(
      {fmt::format("{} splits diverged or gave no number", failures), failures == 0});
  return part;
}

}  // namespace postrider::experiments
