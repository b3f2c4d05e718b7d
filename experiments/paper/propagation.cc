// Expectation propagation on the paper's networks: how many of its messages have negative precision,
// what that does to a run, and how good it is under the usual policies.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "site_accuracy.h"
#include "site_study.h"
#include "studies.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kSmallSeeds = 20, kSmallEpochs = 20, kQuickSeeds = 3, kQuickEpochs = 4;
constexpr std::size_t kLargeSeeds = 3, kLargeEpochs = 5, kQuickLargeSeeds = 1,
                      kQuickLargeEpochs = 1;
constexpr std::size_t kQuickLargeBatches = 20;  // of 15 examples, as in the full version
constexpr std::size_t kCompared = 2000, kQuickCompared = 300;
constexpr double kAccuracy = 1e-7;  // of a message against quadrature, see SiteAccuracy

// How close a training score is to that of the library's trainer. Direct messages on the large network magnify
// rounding by ten orders of magnitude in an epoch.
constexpr double kScoresAgree = 1e-8;

std::vector<SiteStudy> all_studies(bool quick) {
  const auto few = [quick](const Study& study, bool same_means) {
    return SiteStudy{study, same_means, quick ? kQuickSeeds : kSmallSeeds,
                     quick ? kQuickEpochs : kSmallEpochs};
  };
  const auto fewer = [quick](const Study& study, bool same_means) {
    return SiteStudy{study, same_means, quick ? kQuickLargeSeeds : kLargeSeeds,
                     quick ? kQuickLargeEpochs : kLargeEpochs};
  };
  std::vector<SiteStudy> out{few(small_study(quick), true), few(small_study(quick), false),
                             few(mismatch_study(quick), false), fewer(large_study(quick), false)};
  if (!quick) {
    out.push_back(fewer(large_study(quick), true));
    return out;
  }
  NetworkTask& task = out.back().study.task;
  task.examples = kQuickLargeBatches * task.batch_size();
  task.batches = kQuickLargeBatches;
  return out;
}

// What the quick version found when it was recorded.
struct Band {
  std::string study, method;
  double negative_share, training;
};
constexpr double kShareBand = 0.005, kScoreBand = 0.02;
constexpr std::uint64_t kRecordedSeed = 1;

std::vector<Band> recorded() {
  return {{"small_same", "keep", 0.0792, -0.167},     {"small_same", "skip", 0.0353, -0.151},
          {"small_same", "clip", 0.0560, -0.171},     {"small_fresh", "keep", 0.0907, -0.113},
          {"small_fresh", "skip", 0.0367, -0.109},    {"small_fresh", "clip", 0.0568, -0.123},
          {"mismatch_fresh", "keep", 0.0824, -0.150}, {"mismatch_fresh", "skip", 0.0410, -0.144},
          {"mismatch_fresh", "clip", 0.0571, -0.160}, {"large_fresh", "keep", 0.0419, -0.474},
          {"large_fresh", "skip", 0.0381, -0.448},    {"large_fresh", "clip", 0.1027, -0.472}};
}

double share(const Count& count) {
  return static_cast<double>(count.negative) / static_cast<double>(count.sent);
}

void check_accuracy(const Settings& settings, Part& part) {
  const SiteAccuracy found =
      site_accuracy(settings.seed, settings.quick ? kQuickCompared : kCompared);
  part.claims.push_back(
      {fmt::format("{} messages against adaptive quadrature, {} of them negative: products to "
                   "{:.1e}, ReLUs to {:.1e}, {} signs differ",
                   found.compared, found.negative, found.product, found.relu, found.signs_differ),
       found.product < kAccuracy && found.relu < kAccuracy && found.signs_differ == 0});
  part.result.push_back(
      {"accuracy",
       {Object{{"compared", {static_cast<std::int64_t>(found.compared)}},
               {"negative", {static_cast<std::int64_t>(found.negative)}},
               {"negative_to_term", {static_cast<std::int64_t>(found.negative_to_term)}},
               {"product", {found.product}},
               {"relu", {found.relu}}}}});
}

// The library's trainer on the first seed: the same scores, epoch by epoch.
void check_trainer(const SiteStudy& study, const SiteCell& cell, graph::Rule rule,
                   const Settings& settings, Part& part) {
  const Problem problem = draw(study.study, study.same_means, settings.seed, 0);
  const std::vector<double> expected =
      training_curve(study.study.task, problem, rule, study.epochs);
  double apart = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    apart = std::max(apart, std::abs(expected[i] - cell.runs.front().curve[i]));
  part.claims.push_back(
      {fmt::format("{}, {}: training scores as by the library's trainer, to {:.1e}", study.name(),
                   cell.method.name, apart),
       apart < kScoresAgree});
}

void check_direct_message_approximation(const SiteStudy& study, const std::vector<SiteCell>& cells,
                                        const Settings& settings, Part& part) {
  for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned}) {
    const SiteCell& cell = find(cells, rule == graph::Rule::direct ? "direct" : "conditioned");
    if (!study.study.task.is_large || rule == graph::Rule::conditioned)
      check_trainer(study, cell, rule, settings, part);
    const SiteCounts total = cell.total();
    const Count used = total.used(), to_term = total.of(Edge::to_term);
    part.claims.push_back(
        {fmt::format("{}, {}: {} of {} messages have negative precision", study.name(),
                     cell.method.name, used.negative + to_term.negative, used.sent + to_term.sent),
         used.negative + to_term.negative == 0 && used.sent > 0});
  }
}

void check_propagation(const SiteStudy& study, const std::vector<SiteCell>& cells, Part& part) {
  const SiteCell& plain = find(cells, "plain");
  std::size_t failed = 0, latest = 0;
  for (const SiteRun& run : plain.runs) {
    failed += run.failure ? 1 : 0;
    if (run.failure) latest = std::max(latest, run.failure->epoch);
  }
  part.claims.push_back(
      {fmt::format("{}: expectation propagation without a policy ends in an integral that does not "
                   "exist on {} of {} seeds, in epoch {} at the latest",
                   study.name(), failed, plain.runs.size(), latest),
       failed == plain.runs.size()});
  for (const SiteCell& cell : cells) {
    if (cell.method.options.messages != Messages::projected || &cell == &plain) continue;
    const SiteCounts total = cell.total();
    const auto part_of = [&](Edge edge) { return 100 * share(total.of(edge)); };
    part.claims.push_back({fmt::format("{}, {}: {:.2f} % of messages have negative precision",
                                       study.name(), cell.method.name, 100 * share(total.used())),
                           total.used().negative > 0 && total.unresolved == 0});
    part.notes.push_back(fmt::format(
        "{}, {}: to weights {:.2f} %, to inputs {:.2f} %, through ReLUs {:.2f} %, to terms {:.2f} "
        "%; training NLL {:.3f}, extrapolation NLL {:.3f}, calibration error {:+.3f}, {:g} epochs",
        study.name(), cell.method.name, part_of(Edge::to_weight), part_of(Edge::to_input),
        part_of(Edge::through_relu), part_of(Edge::to_term), median_of(cell, &Outcome::training),
        median_of(cell, &Outcome::beyond), median_of(cell, &Outcome::calibration),
        median_of(cell, &Outcome::epochs)));
  }
}

void check_bands(const SiteStudy& study, const std::vector<SiteCell>& cells,
                 const Settings& settings, Part& part) {
  if (!settings.quick || settings.seed != kRecordedSeed) return;
  for (const Band& band : recorded()) {
    if (band.study != study.name()) continue;
    const SiteCell& cell = find(cells, band.method);
    const double negative = share(cell.total().used());
    const double training = median_of(cell, &Outcome::training);
    part.claims.push_back(
        {fmt::format("{}, {}: share of negative precisions {:.4f}, recorded {:.4f}; training NLL "
                     "{:.3f}, recorded {:.3f}",
                     band.study, band.method, negative, band.negative_share, training,
                     band.training),
         std::abs(negative - band.negative_share) <= kShareBand &&
             std::abs(training - band.training) <= kScoreBand});
  }
}

}  // namespace

Part propagation(const Settings& settings) {
  Part out{"ep", {}, {}, {}};
  check_accuracy(settings, out);
  for (const SiteStudy& study : all_studies(settings.quick)) {
    const std::vector<SiteCell> cells = run(study, settings);
    check_direct_message_approximation(study, cells, settings, out);
    check_propagation(study, cells, out);
    check_bands(study, cells, settings, out);
    out.result.push_back({study.name(), {describe(study, cells, settings)}});
  }
  return out;
}

}  // namespace postrider::experiments
