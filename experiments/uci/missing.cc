// A share of all input cells is taken away, of training and test rows alike. A missing input as a
// message as wide as its column, against the column's mean in its place.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "parts.h"
#include "trial.h"

namespace postrider::experiments {
using namespace internal;
namespace {

const std::vector<std::string> kSets{"bostonHousing", "concrete", "energy", "wine-quality-red",
                                     "yacht"};
const std::vector<std::string> kQuickSets{"yacht"};
constexpr std::size_t kSplits = 20, kQuickSplits = 1;
constexpr double kShare = 0.2;

struct Treatment {
  std::string name;
  bool vague;       // else the mean of the training rows' known cells
  bool indicators;  // one more input per column: whether it is missing
};
const std::vector<Treatment> kTreatments{{"vague", true, false},
                                         {"mean", false, false},
                                         {"vague_indicators", true, true},
                                         {"mean_indicators", false, true}};

UciSet with_holes(UciSet set, std::uint64_t seed) {
  RandomStream random(seed, 0);
  for (std::size_t i = 0; i < set.table.values.size(); ++i) {
    const bool is_input = i % set.table.columns != set.table.columns - 1;
    if (is_input && random.uniform() < kShare)
      set.table.values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return set;
}

std::vector<double> known_means(const std::vector<double>& inputs, std::size_t columns) {
  std::vector<double> sums(columns), counts(columns);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::isnan(inputs[i])) continue;
    sums[i % columns] += inputs[i];
    counts[i % columns] += 1;
  }
  for (std::size_t c = 0; c < columns; ++c) sums[c] /= std::max(1.0, counts[c]);
  return sums;
}

std::vector<double> treated(const std::vector<double>& inputs, const std::vector<double>& means,
                            const Treatment& treatment) {
  const std::size_t columns = means.size();
  std::vector<double> out;
  for (std::size_t row = 0; row < inputs.size(); row += columns) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double cell = inputs[row + c];
      out.push_back(std::isnan(cell) && !treatment.vague ? means[c] : cell);
    }
    if (!treatment.indicators) continue;
    for (std::size_t c = 0; c < columns; ++c) out.push_back(std::isnan(inputs[row + c]) ? 1 : 0);
  }
  return out;
}

std::vector<Tested> test_treatment(const UciSet& set, std::size_t splits,
                                   const Treatment& treatment, const Settings& settings) {
  return test_splits(splits, settings.threads, [&](std::size_t split) {
    Rows training = set.rows(split, false), testing = set.rows(split, true);
    const std::vector<double> means = known_means(training.inputs, set.inputs());
    training.inputs = treated(training.inputs, means, treatment);
    testing.inputs = treated(testing.inputs, means, treatment);
    EstimatorOptions options;
    options.training.seed = settings.seed + split;
    return test_rows(training, testing, options);
  });
}

}  // namespace

Part missing(const Settings& settings) {
  Part part{"missing", {{"share", {kShare}}}, {}, {}};
  std::size_t better = 0;
  const std::vector<std::string>& sets = settings.quick ? kQuickSets : kSets;
  for (const std::string& name : sets) {
    const UciSet set = with_holes(read_uci_set(settings.data, name), settings.seed);
    Object entry;
    std::vector<double> likelihoods;
    for (const Treatment& treatment : kTreatments) {
      const std::vector<Tested> tested =
          test_treatment(set, settings.quick ? kQuickSplits : kSplits, treatment, settings);
      likelihoods.push_back(mean_of(tested, &Tested::likelihood));
      entry.push_back({treatment.name, {describe(tested)}});
    }
    better += likelihoods[0] > likelihoods[1] ? 1 : 0;
    part.notes.push_back(
        fmt::format("{}: LL {:.3f} as a vague message, {:.3f} with the mean in its place; with "
                    "indicators {:.3f} "
                    "and {:.3f}",
                    name, likelihoods[0], likelihoods[1], likelihoods[2], likelihoods[3]));
    part.result.push_back({name, {entry}});
  }
  const std::string text =
      fmt::format("a vague message has the better LL on {} of {} sets", better, sets.size());
  if (settings.quick)
    part.notes.push_back(text);
  else
    part.claims.push_back({text, 2 * better > sets.size()});
  return part;
}

}  // namespace postrider::experiments
