#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "anchors.h"
#include "parts.h"
#include "trial.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kQuickSplits = 2;
constexpr const char* kDefault = "default";
const std::vector<std::string> kQuickSets{"yacht"};
// Besides the default's own, training with the defaults ends there.
const std::vector<std::size_t> kFewEpochs{1, 5};
// As in all papers.
constexpr std::size_t kPaperUnits = 50;
// Configurations besides the default are tried on the sets that have no more rows than this, on the first
// splits.
constexpr std::size_t kMostRowsOfOthers = 2000, kSplitsOfOthers = 5;

constexpr double kMostDistance = 0.03;  // of a set's coverage from the level

struct Configuration {
  std::string name;
  EstimatorOptions options;
};

std::vector<Configuration> configurations(std::uint64_t seed) {
  const EstimatorOptions defaults = default_options(seed);
  EstimatorOptions one_layer = defaults;
  one_layer.hidden = {kPaperUnits};
  EstimatorOptions constant_noise = defaults;
  constant_noise.varying_noise = false;
  // The messages as they are, in one network.
  EstimatorOptions plain = constant_noise;
  plain.ensemble_size = 1;
  plain.power = 1;
  return {{kDefault, defaults},
          {"constant_noise", constant_noise},
          {"plain", plain},
          {"one_layer", one_layer}};
}

struct SetResult {
  std::string set;
  std::vector<Tested> tested;

  double error() const { return mean_of(tested, &Tested::error); }
  double likelihood() const { return mean_of(tested, &Tested::likelihood); }
  HeldAtLevels held() const {
    std::vector<HeldAtLevels> splits;
    for (const Tested& one : tested) splits.push_back(one.held);
    return mean_over(splits);
  }
  std::vector<RowIntervals> of_rows() const {
    std::vector<RowIntervals> out;
    for (const Tested& one : tested) out.push_back(one.of_rows);
    return out;
  }
  bool beats(const Score& other) const {
    return error() < other.error && likelihood() > other.likelihood;
  }
  // Better, or within one standard error of being as good, ours and theirs together.
  bool matches(const Score& other, const Score& standard_error) const {
    const double slack_error = standard_error_of(tested, &Tested::error) + standard_error.error;
    const double slack_likelihood =
        standard_error_of(tested, &Tested::likelihood) + standard_error.likelihood;
    return error() < other.error + slack_error &&
           likelihood() > other.likelihood - slack_likelihood;
  }
};

Object describe(const Score& score) {
  return {{"rmse", {score.error}}, {"ll", {score.likelihood}}};
}

Object describe(const Anchors& anchors) {
  return {{"pbp", {describe(anchors.pbp)}},
          {"tagi", {describe(anchors.tagi)}},
          {"dropout_2016", {describe(anchors.dropout_2016)}},
          {"dropout_2018", {describe(anchors.dropout_2018)}},
          {"ensembles", {describe(anchors.ensembles)}},
          {"dvi_ll", {anchors.variational}},
          {"dvi_homoscedastic_ll", {anchors.variational_homoscedastic}}};
}

template <class Holds>
std::size_t count_of(const std::vector<SetResult>& results, Holds&& holds) {
  return static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(),
      [&](const SetResult& result) { return holds(result, anchors_of(result.set)); }));
}

void compare_intervals(const std::vector<SetResult>& results, Part& part) {
  const double level = kLevels[kShownLevel];
  double farthest = 0;
  for (const SetResult& result : results)
    farthest = std::max(farthest, std::abs(result.held().conformal[kShownLevel].share - level));
  part.claims.push_back(
      {fmt::format("intervals of {:.0f} % hold between {:.0f} and {:.0f} % on every set (farthest: "
                   "{:.1f} points)",
                   100 * level, 100 * (level - kMostDistance), 100 * (level + kMostDistance),
                   100 * farthest),
       farthest <= kMostDistance});
}

void compare(const std::vector<SetResult>& results, Part& part) {
  const auto claim = [&](const std::string& what, std::size_t sets, std::size_t wanted) {
    part.claims.push_back(
        {fmt::format("{} on {} of {} sets, at least {}", what, sets, results.size(), wanted),
         sets >= wanted});
  };
  claim("RMSE and LL better than PBP's and TAGI's",
        count_of(results,
                 [](const SetResult& ours, const Anchors& of) {
                   return ours.beats(of.pbp) && ours.beats(of.tagi);
                 }),
        8);
  claim("RMSE and LL better than PBP's and TAGI's or within one standard error",
        count_of(results,
                 [](const SetResult& ours, const Anchors& of) {
                   return ours.matches(of.pbp, of.pbp_standard_error) &&
                          ours.matches(of.tagi, of.pbp_standard_error);
                 }),
        9);
  claim("LL better than MC dropout's of 2016",
        count_of(results,
                 [](const SetResult& ours, const Anchors& of) {
                   return ours.likelihood() > of.dropout_2016.likelihood;
                 }),
        6);
  claim("LL better than MC dropout's of 2018",
        count_of(results,
                 [](const SetResult& ours, const Anchors& of) {
                   return ours.likelihood() > of.dropout_2018.likelihood;
                 }),
        3);
  claim("LL better than DVI's",
        count_of(results, [](const SetResult& ours,
                             const Anchors& of) { return ours.likelihood() > of.variational; }),
        4);
}

// As it goes: all sets take minutes.
void tell(const SetResult& result, const std::string& configuration) {
  const std::vector<Tested>& tested = result.tested;
  fmt::print(
      "  {} {}: RMSE {:.4f} ({:.4f}), LL {:.3f} ({:.3f}), {:.0f} x {:.0f} weights, {:.2f} s per "
      "split\n",
      result.set, configuration, result.error(), standard_error_of(tested, &Tested::error),
      result.likelihood(), standard_error_of(tested, &Tested::likelihood),
      mean_of(tested, &Tested::members), mean_of(tested, &Tested::weights),
      mean_of(tested, &Tested::seconds));
  std::fflush(stdout);
}

}  // namespace

Part benchmark(const Settings& settings) {
  Part part{"summary", {}, {}, {}};
  Object coverage, groups;
  std::vector<SetResult> results;
  std::size_t failures = 0;
  double seconds = 0;  // of training with the defaults, all sets and splits
  for (const std::string& name : settings.sets_of(uci_names(), kQuickSets)) {
    const UciSet set = read_uci_set(settings.data, name);
    const std::size_t splits = settings.quick ? kQuickSplits : set.splits.size();
    Object entry{{"rows", {static_cast<std::int64_t>(set.table.rows())}},
                 {"inputs", {static_cast<std::int64_t>(set.inputs())}},
                 {"anchors", {describe(anchors_of(name))}}};
    const auto test = [&](const std::string& configuration, const EstimatorOptions& options) {
      const std::size_t used =
          configuration == kDefault ? splits : std::min(splits, kSplitsOfOthers);
      const SetResult result{name, test_splits(set, used, options, settings)};
      failures += failures_of(result.tested);
      tell(result, configuration);
      return result;
    };
    for (const Configuration& configuration : configurations(settings.seed)) {
      if (configuration.name != kDefault && set.table.rows() > kMostRowsOfOthers) continue;
      const SetResult result = test(configuration.name, configuration.options);
      const Object found = describe(result.tested);
      if (configuration.name != kDefault) {
        entry.push_back({configuration.name, {found}});
        continue;
      }
      results.push_back(result);
      coverage.push_back({name, {describe(result.held(), splits)}});
      groups.push_back({name, {describe_groups(set, result.of_rows())}});
      seconds += mean_of(result.tested, &Tested::seconds) * static_cast<double>(splits);
      entry.insert(entry.end(), found.begin(), found.end());
      for (const std::size_t epochs : kFewEpochs) {
        EstimatorOptions few = configuration.options;
        few.training.max_epochs = epochs;
        const std::string key = fmt::format("epochs_{}", epochs);
        entry.push_back({key, {describe(test(key, few).tested)}});
      }
    }
    part.result.push_back({name, {entry}});
  }
  part.claims.push_back(
      {fmt::format("{} splits diverged or gave no number", failures), failures == 0});
  const double minutes = seconds / settings.threads / 60;
  constexpr double kMostMinutes = 15;
  part.claims.push_back(
      {fmt::format("training with the defaults takes {:.1f} minutes on {} threads", minutes,
                   settings.threads),
       minutes < kMostMinutes});
  if (results.size() == uci_names().size()) {
    compare(results, part);
    compare_intervals(results, part);
  }
  part.besides.push_back({"coverage", std::move(coverage)});
  part.besides.push_back({"groups", std::move(groups)});
  return part;
}

}  // namespace postrider::experiments
