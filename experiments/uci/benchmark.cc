#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "anchors.h"
#include "parts.h"
#include "trial.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kQuickSplits = 3;
const std::vector<std::string> kQuickSets{"energy", "yacht"};
// Training ends there; the last is the default's.
const std::vector<std::size_t> kEpochs{1, 5, 40};
// As the protein set is trained and built in all papers.
constexpr const char* kProtein = "protein-tertiary-structure";
constexpr std::size_t kProteinEpochs = 20, kPaperUnits = 50, kPaperProteinUnits = 100;

struct Configuration {
  std::string name;
  RegressorOptions options;
};

std::vector<Configuration> configurations(const std::string& set, std::uint64_t seed) {
  RegressorOptions defaults;
  defaults.training.seed = seed;
  if (set == kProtein) defaults.training.max_epochs = kProteinEpochs;
  RegressorOptions one_layer = defaults;
  one_layer.hidden = {set == kProtein ? kPaperProteinUnits : kPaperUnits};
  RegressorOptions varying = defaults;
  varying.varying_noise = true;
  return {{"default", defaults}, {"varying_noise", varying}, {"one_layer", one_layer}};
}

struct SetResult {
  std::string set;
  std::vector<Tested> tested;

  double error() const { return mean_of(tested, &Tested::error); }
  double likelihood() const { return mean_of(tested, &Tested::likelihood); }
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

void compare(const std::vector<SetResult>& results, const std::vector<SetResult>& varying,
             Part& part) {
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
  claim("with varying noise, LL better than DVI's",
        count_of(varying, [](const SetResult& ours,
                             const Anchors& of) { return ours.likelihood() > of.variational; }),
        4);
}

}  // namespace

Part benchmark(const Settings& settings) {
  Part part{"summary", {}, {}, {}};
  std::vector<SetResult> results, varying;
  std::size_t failures = 0;
  for (const std::string& name : settings.quick ? kQuickSets : uci_names()) {
    const UciSet set = read_uci_set(settings.data, name);
    const std::size_t splits = settings.quick ? kQuickSplits : set.splits.size();
    Object entry{{"rows", {static_cast<std::int64_t>(set.table.rows())}},
                 {"inputs", {static_cast<std::int64_t>(set.inputs())}},
                 {"anchors", {describe(anchors_of(name))}}};
    for (const Configuration& configuration : configurations(name, settings.seed)) {
      Object by_epochs;
      std::vector<Tested> tested;
      for (const std::size_t epochs : kEpochs) {
        RegressorOptions options = configuration.options;
        options.training.max_epochs = std::min(epochs, options.training.max_epochs);
        tested = test_splits(set, splits, options, settings.threads);
        failures += failures_of(tested);
        by_epochs.push_back({fmt::format("epochs_{}", epochs), {describe(tested)}});
      }
      Object found = describe(tested);
      found.insert(found.end(), by_epochs.begin(), by_epochs.end() - 1);
      const SetResult result{name, tested};
      // As it goes: all sets take minutes.
      fmt::print(
          "  {} {}: RMSE {:.4f} ({:.4f}), LL {:.3f} ({:.3f}), {:.0f} weights, {:.2f} s per split\n",
          name, configuration.name, result.error(), standard_error_of(tested, &Tested::error),
          result.likelihood(), standard_error_of(tested, &Tested::likelihood),
          mean_of(tested, &Tested::weights), mean_of(tested, &Tested::seconds));
      std::fflush(stdout);
      if (configuration.name == "default") {
        results.push_back(result);
        entry.insert(entry.end(), found.begin(), found.end());
      } else {
        entry.push_back({configuration.name, {found}});
        if (configuration.name == "varying_noise") varying.push_back(result);
      }
    }
    part.result.push_back({name, {entry}});
  }
  part.claims.push_back(
      {fmt::format("{} splits diverged or gave no number", failures), failures == 0});
  if (!settings.quick) compare(results, varying, part);
  return part;
}

}  // namespace postrider::experiments
