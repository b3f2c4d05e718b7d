// How many test targets lie in the intervals of their predictions, and how wide these are: intervals that
// follow the rows left out in training, beside those of the beliefs.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/workers.h"
#include "parts.h"
#include "sets.h"
#include "trial.h"

namespace postrider::experiments {
namespace {

constexpr std::array kLevels{0.5, 0.8, 0.9, 0.95};
constexpr std::size_t kShown = 2;       // of these
constexpr double kMostDistance = 0.03;  // of a set's coverage from the level
// Of large sets more test rows are in a split.
constexpr std::size_t kSplits = 10, kManyRows = 2000, kSplitsOfMany = 2, kQuickSplits = 1;
constexpr std::size_t kQuickEpochs = 30;
const std::vector<std::string> kQuickSets{"yacht"};

// At one level, by intervals of one kind.
struct Held {
  double share = 0;  // of the test targets
  double width = 0;  // in the mean, in standard deviations of the test targets
};

struct HeldAtLevels {
  std::array<Held, kLevels.size()> conformal, beliefs;
};

double deviation_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, square = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) square += (value - mean) * (value - mean) / count;
  return std::sqrt(square);
}

Held held_by(const std::vector<double>& bounds, const std::vector<double>& targets) {
  Held out;
  const double count = static_cast<double>(targets.size()), unit = deviation_of(targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double low = bounds[2 * i], high = bounds[2 * i + 1];
    out.share += (low <= targets[i] && targets[i] <= high ? 1 : 0) / count;
    out.width += (high - low) / unit / count;
  }
  return out;
}

HeldAtLevels test_split(const UciSet& set, std::size_t split, const Settings& settings) {
  const Rows training = set.rows(split, false), testing = set.rows(split, true);
  EstimatorOptions options = default_options(set.name, settings.seed + split);
  if (settings.quick) options.training.max_epochs = kQuickEpochs;
  Regressor model(options);
  model.fit(training.inputs, training.targets);
  const Distributions found = model.distributions(testing.inputs);
  HeldAtLevels out;
  for (std::size_t l = 0; l < kLevels.size(); ++l) {
    const double below = 0.5 * (1 - kLevels[l]);
    out.conformal[l] = held_by(found.intervals(kLevels[l]), testing.targets);
    out.beliefs[l] = held_by(found.quantiles(std::array{below, 1 - below}), testing.targets);
  }
  return out;
}

std::size_t splits_of(const UciSet& set, bool quick) {
  if (quick) return kQuickSplits;
  return std::min(set.splits.size(), set.table.rows() > kManyRows ? kSplitsOfMany : kSplits);
}

HeldAtLevels mean_over(const std::vector<HeldAtLevels>& splits) {
  HeldAtLevels out;
  const auto count = static_cast<double>(splits.size());
  for (const HeldAtLevels& split : splits)
    for (const auto part : {&HeldAtLevels::conformal, &HeldAtLevels::beliefs})
      for (std::size_t l = 0; l < kLevels.size(); ++l) {
        (out.*part)[l].share += (split.*part)[l].share / count;
        (out.*part)[l].width += (split.*part)[l].width / count;
      }
  return out;
}

Object describe(const std::array<Held, kLevels.size()>& held) {
  Object out;
  for (std::size_t l = 0; l < kLevels.size(); ++l)
    out.push_back({fmt::format("{:g}", kLevels[l]),
                   {Object{{"coverage", {held[l].share}}, {"width", {held[l].width}}}}});
  return out;
}

}  // namespace

Part coverage(const Settings& settings) {
  Part part{"coverage", {}, {}, {}};
  double farthest = 0;
  for (const std::string& name : settings.quick ? kQuickSets : uci_names()) {
    const UciSet set = read_uci_set(settings.data, name);
    std::vector<HeldAtLevels> splits(splits_of(set, settings.quick));
    Workers(settings.threads).run(splits.size(), [&](std::size_t split) {
      splits[split] = test_split(set, split, settings);
    });
    const HeldAtLevels mean = mean_over(splits);
    const Held conformal = mean.conformal[kShown], beliefs = mean.beliefs[kShown];
    farthest = std::max(farthest, std::abs(conformal.share - kLevels[kShown]));
    part.notes.push_back(fmt::format(
        "{}: intervals of 90 % hold {:.1f} % (width {:.3f}); those of the beliefs {:.1f} % "
        "({:.3f})",
        name, 100 * conformal.share, conformal.width, 100 * beliefs.share, beliefs.width));
    part.result.push_back({name,
                           {Object{{"splits", {static_cast<std::int64_t>(splits.size())}},
                                   {"conformal", {describe(mean.conformal)}},
                                   {"beliefs", {describe(mean.beliefs)}}}}});
  }
  if (!settings.quick)
    part.claims.push_back(
        {fmt::format("intervals of 90 % hold between {:.0f} and {:.0f} % on every set (farthest: "
                     "{:.1f} points)",
                     100 * (kLevels[kShown] - kMostDistance),
                     100 * (kLevels[kShown] + kMostDistance), 100 * farthest),
         farthest <= kMostDistance});
  return part;
}

}  // namespace postrider::experiments
