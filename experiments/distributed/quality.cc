// The quality of training with 1, 4, 16 and 64 virtual workers, beside training in one place.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/workers.h"
#include "parts.h"
#include "spread_trial.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kInOnePlace = 0;
// Epochs to the score of training in one place, at most.
constexpr double kMostEpochs = 1.1;

struct SetSize {
  std::string name;
  std::size_t splits;
};

struct OfWorkers {
  std::size_t workers;
  std::vector<SpreadTested> splits;

  std::vector<double> likelihoods() const {
    std::vector<double> out;
    for (const SpreadTested& split : splits) out.push_back(split.likelihood);
    return out;
  }
};

double mean_of(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out += value / static_cast<double>(values.size());
  return out;
}

// Epochs until the score that the other training ended with, in the mean over splits, as a share of its own.
double epochs_ratio(const OfWorkers& spread, const OfWorkers& in_one_place) {
  double spread_epochs = 0, own = 0;
  for (std::size_t s = 0; s < spread.splits.size(); ++s) {
    // Scores of the last epochs differ by chance: a hundredth of a nat is none.
    const double score = in_one_place.splits[s].best_score() - 0.01;
    spread_epochs += static_cast<double>(spread.splits[s].epochs_to(score));
    own += static_cast<double>(in_one_place.splits[s].epochs_to(score));
  }
  return spread_epochs / own;
}

std::vector<OfWorkers> tested(const Settings& settings, const SetSize& of,
                              const std::vector<std::size_t>& workers) {
  const UciSet set = read_uci_set(settings.data, of.name);
  std::vector<OfWorkers> out;
  for (const std::size_t count : workers)
    out.push_back({count, std::vector<SpreadTested>(of.splits)});
  Workers(settings.threads).run(out.size() * of.splits, [&](std::size_t task) {
    const std::size_t split = task / out.size();
    OfWorkers& own = out[task % out.size()];
    own.splits[split] = test_spread(set.rows(split, false), set.rows(split, true), own.workers,
                                    settings.seed + split);
  });
  return out;
}

}  // namespace

Part quality(const Settings& settings) {
  const std::vector<SetSize> sets =
      settings.quick ? std::vector<SetSize>{{"energy", 2}}
                     : std::vector<SetSize>{
                           {"kin8nm", 3}, {"power-plant", 3}, {"protein-tertiary-structure", 2}};
  const std::vector<std::size_t> workers =
      settings.quick ? std::vector<std::size_t>{kInOnePlace, 1, 4}
                     : std::vector<std::size_t>{kInOnePlace, 1, 4, 16, 64};
  Part out{"quality", {}, {}};
  for (const SetSize& set : sets) {
    const std::vector<OfWorkers> found = tested(settings, set, workers);
    std::vector<Object> rows;
    for (const OfWorkers& of : found) {
      const Paired difference = paired(of.likelihoods(), found.front().likelihoods());
      const double ratio = epochs_ratio(of, found.front());
      double epochs = 0, halved = 0;
      for (const SpreadTested& split : of.splits) {
        epochs +=
            static_cast<double>(split.epochs().size()) / static_cast<double>(of.splits.size());
        halved += static_cast<double>(split.report.halved);
      }
      rows.push_back({{"workers", {static_cast<std::int64_t>(of.workers)}},
                      {"ll", {mean_of(of.likelihoods())}},
                      {"ll_difference", {difference.mean}},
                      {"ll_se", {difference.standard_error}},
                      {"epochs", {epochs}},
                      {"epochs_to_score_ratio", {ratio}},
                      {"halved", {halved}}});
      out.notes.push_back(
          fmt::format("{:28} {:2} workers: LL {:.4f}, difference {:+.4f} +- {:.4f}, epochs to the "
                      "score x {:.2f}",
                      set.name, of.workers, mean_of(of.likelihoods()), difference.mean,
                      difference.standard_error, ratio));
      if (of.workers == kInOnePlace) continue;
      const std::string which = fmt::format("{}, {} workers: ", set.name, of.workers);
      out.claims.push_back({which + "no worse than in one place, by more than one standard error",
                            settings.quick || difference.mean > -difference.standard_error});
      out.claims.push_back(
          {which + "at most 1.1 times the epochs", settings.quick || ratio <= kMostEpochs});
    }
    out.result.push_back({set.name, {rows}});
  }
  return out;
}

}  // namespace postrider::experiments
