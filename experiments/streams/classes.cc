// Streams of classes, each row predicted before it is learned: with drift, without, and by repeating the last
// label.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parts.h"
#include "postrider/classifier.h"
#include "streams.h"

namespace postrider::experiments {
namespace {

constexpr double kLeast = 1e-6;  // of a probability, for all methods
constexpr std::size_t kQuickRows = 600;

// Mean of the losses of all rows, and how many were right.
struct Losses {
  double log_loss = 0, accuracy = 0;
  std::size_t rows = 0;

  void add(double probability_of_one, double target) {
    const double p =
        std::clamp(target == 1 ? probability_of_one : 1 - probability_of_one, kLeast, 1 - kLeast);
    log_loss -= std::log(p);
    accuracy += (probability_of_one > 0.5) == (target == 1) ? 1 : 0;
    ++rows;
  }
  Object object() const {
    const auto count = static_cast<double>(rows);
    return {{"log_loss", {log_loss / count}}, {"accuracy", {accuracy / count}}};
  }
  double mean() const { return log_loss / static_cast<double>(rows); }
};

Losses learned(const Stream& stream, bool drift, std::uint64_t seed,
               std::vector<StreamReport::Change>& changes, std::vector<StreamReport::Rate>& rates) {
  EstimatorOptions options;
  options.classes = 2;
  options.drift = drift;
  options.training.seed = seed;
  Classifier model(options);
  Losses out;
  for (std::size_t row = 0; row < stream.size(); ++row) {
    const std::span<const double> inputs = stream.inputs_of(row, row + 1);
    out.add(row == 0 ? 0.5 : model.predict_probabilities(inputs)[1], stream.targets[row]);
    const std::vector<std::size_t> label{static_cast<std::size_t>(stream.targets[row])};
    const StreamReport report = model.partial_fit(inputs, label);
    changes.insert(changes.end(), report.changes.begin(), report.changes.end());
    rates = report.rates;
  }
  return out;
}

// With the probability with which labels were repeated so far, one success and one failure more.
Losses repeated(const Stream& stream) {
  Losses out;
  double same = 1, all = 2;
  for (std::size_t row = 0; row < stream.size(); ++row) {
    if (row == 0) {
      out.add(0.5, stream.targets[row]);
      continue;
    }
    const double p = same / all;
    out.add(stream.targets[row - 1] == 1 ? p : 1 - p, stream.targets[row]);
    same += stream.targets[row] == stream.targets[row - 1] ? 1 : 0;
    all += 1;
  }
  return out;
}

Object rates_object(const std::vector<StreamReport::Rate>& rates) {
  std::vector<double> forgetting, walk, weight;
  for (const StreamReport::Rate& each : rates) {
    forgetting.push_back(each.rate.forgetting);
    walk.push_back(each.rate.walk);
    weight.push_back(each.weight);
  }
  return {{"forgetting", {forgetting}}, {"walk", {walk}}, {"weight", {weight}}};
}

Part classes(const Settings& settings, const std::string& name, double goal) {
  Part part{name, {}, {}, {}};
  Stream stream = read_classes(settings.data, name);
  if (settings.quick) stream = stream.beginning(kQuickRows);
  std::vector<StreamReport::Change> changes, none;
  std::vector<StreamReport::Rate> rates, still;
  const Losses ours = learned(stream, true, settings.seed, changes, rates);
  const Losses fixed = learned(stream, false, settings.seed, none, still);
  const Losses last = repeated(stream);
  fmt::print("  {}: ours {:.4f}, without drift {:.4f}, the last label {:.4f}; {} changes\n", name,
             ours.mean(), fixed.mean(), last.mean(), changes.size());
  part.result = {{"rows", {static_cast<std::int64_t>(stream.size())}},
                 {"ours", {ours.object()}},
                 {"without_drift", {fixed.object()}},
                 {"last_label", {last.object()}},
                 {"changes", {static_cast<std::int64_t>(changes.size())}},
                 {"rates", {rates_object(rates)}}};
  if (settings.quick) return part;
  part.claims.push_back({fmt::format("{}: log-loss below {}", name, goal), ours.mean() < goal});
  part.claims.push_back(
      {name + ": not worse than without drift", ours.mean() < fixed.mean() + 0.002});
  return part;
}

}  // namespace

Part elec2(const Settings& settings) { return classes(settings, "elec2", 0.40); }
Part weather(const Settings& settings) { return classes(settings, "weather", 0.47); }

}  // namespace postrider::experiments
