#include "bench/epoch/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/epoch/network_of.h"
#include "bench/limits/work.h"
#include "network/network_state.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;

constexpr double kFractionGoal = 0.6;
constexpr std::size_t kQuickBatches = 2;

// How much of the bound that the arithmetic sets the shortest epoch reaches.
struct Fraction {
  Work work;  // per row of all members together
  double bound_seconds;
  double fraction, with_estimates;
};

Fraction fraction_of(const MeasuredEnsemble& measured) {
  const Case& of = measured.ensemble.of;
  const VectorRates& rates = measured.rounds.rates;
  const Work work = pack_work_of(sweep_layers(network_of(of)), rates.lanes);
  const Bound bound = bound_of(work, rates);
  // Rows for one member and epoch.
  const double share =
      static_cast<double>(of.rows) / static_cast<double>(measured.ensemble.members);
  const double best = measured.rounds.best_epoch;
  return {work, share * bound.seconds, share * bound.seconds / best,
          share * bound.with_estimates / best};
}

Object to_object(const MeasuredEnsemble& measured) {
  const Case& of = measured.ensemble.of;
  const EnsembleRounds& rounds = measured.rounds;
  const Fraction fraction = fraction_of(measured);
  Object out{{"network", {of.network()}},
             {"members", {static_cast<std::int64_t>(measured.ensemble.members)}},
             {"rows", {static_cast<std::int64_t>(of.rows)}},
             {"batch", {static_cast<std::int64_t>(of.batch)}},
             {"bias", {of.bias}},
             {"ms_per_member", {kMilli * median(rounds.ours)}},
             {"best_ms_per_member", {kMilli * rounds.best_epoch}},
             {"hand_adam_ms", {kMilli * median(rounds.hand)}},
             {"ratio_to_hand_adam", {measured.to_hand().median}},
             {"best_ratio_to_hand_adam", {measured.to_hand().best}},
             {"target_ratio_to_hand_adam", {measured.ensemble.target_ratio_to_hand}},
             {"vector_instructions_per_row", {fraction.work.arithmetic}},
             {"estimates_among_them", {fraction.work.estimates}},
             {"vector_multiply_adds_per_second", {rounds.rates.multiply_adds}},
             {"vector_estimates_per_second", {rounds.rates.estimates}},
             {"bound_ms_per_member", {kMilli * fraction.bound_seconds}},
             {"fraction_of_bound", {fraction.fraction}},
             {"fraction_of_bound_with_measured_estimates", {fraction.with_estimates}},
             {"target_fraction", {kFractionGoal}},
             {"target_ratio", {of.target_ratio}}};
  if (!rounds.torch.empty()) {
    out.push_back({"libtorch_adam_ms", {kMilli * median(rounds.torch)}});
    out.push_back({"ratio_to_libtorch_adam", {measured.to_torch().median}});
    out.push_back({"best_ratio_to_libtorch_adam", {measured.to_torch().best}});
  }
  return out;
}

void add_claims(const MeasuredEnsemble& measured, bool fair, Part& part) {
  const EnsembleCase& ensemble = measured.ensemble;
  const std::string& name = ensemble.of.name;
  const auto at_most = [&](const char* to, double value, double goal) {
    part.claims.push_back({fmt::format("{}: a member takes {} of {} time, goal {}", name,
                                       short_number(value), to, goal),
                           value <= goal});
  };
  if (fair && !measured.rounds.torch.empty())
    at_most("libtorch's", measured.to_torch().median, ensemble.of.target_ratio);
  at_most("the hand-written Adam's", measured.to_hand().median, ensemble.target_ratio_to_hand);
  const double fraction = fraction_of(measured).fraction;
  part.claims.push_back({fmt::format("{}: {} of the arithmetic bound, goal at least {}", name,
                                     short_number(fraction), kFractionGoal),
                         fraction >= kFractionGoal});
  if (!have_same_loss(measured.rounds))
    part.claims.push_back({fmt::format("{}: both Adams have the same loss", name), false});
}

}  // namespace

std::vector<MeasuredEnsemble> measure_ensembles(const Settings& settings) {
  std::vector<MeasuredEnsemble> out;
  for (EnsembleCase each : ensemble_cases()) {
    Case& of = each.of;
    if (std::ranges::find(settings.cases, of.name) == settings.cases.end()) continue;
    std::printf("  %s ...\r", of.name.c_str());
    std::fflush(stdout);
    if (settings.quick) of.rows = kQuickBatches * of.batch;
    out.push_back(
        {each, run_ensemble_rounds(each, random_set(of), settings.repeats, settings.quick)});
  }
  return out;
}

void report_ensembles(const std::vector<MeasuredEnsemble>& all, bool fair, Object& cases,
                      Part& part) {
  if (all.empty()) return;
  Table table({"case", "network", "members", "rows / batch", "ours, ms per member", "libtorch",
               "by hand", "to libtorch (best)", "goal", "to hand (best)", "goal", "of the bound",
               "with 1/x as measured"},
              2);
  for (const MeasuredEnsemble& measured : all) {
    const Case& of = measured.ensemble.of;
    const EnsembleRounds& rounds = measured.rounds;
    const Fraction fraction = fraction_of(measured);
    table.add(
        {of.name, of.network(), fmt::format("{}", measured.ensemble.members),
         fmt::format("{} / {}", of.rows, of.batch), short_number(kMilli * median(rounds.ours)),
         rounds.torch.empty() ? "-" : short_number(kMilli * median(rounds.torch)),
         short_number(kMilli * median(rounds.hand)), measured.to_torch().text(),
         short_number(of.target_ratio), measured.to_hand().text(),
         short_number(measured.ensemble.target_ratio_to_hand),
         fmt::format("{:.2f}", fraction.fraction), fmt::format("{:.2f}", fraction.with_estimates)});
    cases.push_back({of.name, {to_object(measured)}});
    add_claims(measured, fair, part);
  }
  fmt::print(
      "\n  Ensembles: milliseconds per epoch and member, trained together on one thread\n\n{}\n",
      table.text());
}

}  // namespace postrider::bench
