#include "studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shown.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kPaperSeeds = 20;
constexpr std::size_t kManySeeds = 500, kManyLargeSeeds = 40;
constexpr std::size_t kQuickLargeSeeds = 2, kQuickLargeEpochs = 6;
constexpr std::size_t kLargeEpochs = 100;  // the paper's limit
constexpr std::size_t kSmallCurve = 40, kLargeCurve = 15;

// What conditioned messages are to reach.
constexpr double kMismatchGoal = -0.15;
constexpr double kLargeTrainingGoal = -0.83, kLargeRangeGoal = 0.3;
constexpr std::size_t kLargeGoalEpochs = 5;

Claim at_most(const std::string& what, double value, double limit) {
  return {fmt::format("{}: {:.3f}, at most {:.3f}", what, value, limit), value <= limit};
}

// The median training score after so many epochs.
double after(const Cell& cell, std::size_t epochs) {
  std::vector<double> values;
  for (const std::vector<double>& curve : cell.curves) values.push_back(curve[epochs - 1]);
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

double range_of(const Cell& cell, double Outcome::*which) {
  return quantile_of(cell, which, 0.75) - quantile_of(cell, which, 0.25);
}

// What the quick version found when it was recorded. Direct messages on the large network magnify
// rounding, so that they have no band.
struct Band {
  bool same_means;
  graph::Rule rule;
  double Outcome::*which;
  double recorded;
};
constexpr double kBand = 0.02;
constexpr std::uint64_t kRecordedSeed = 1;

void check_bands(const std::vector<Cell>& cells, const std::vector<Band>& bands,
                 const Settings& settings, Part& part) {
  if (!settings.quick || settings.seed != kRecordedSeed) return;
  for (const Band& band : bands) {
    const Cell& cell = find(cells, band.same_means, band.rule, TrainerOptions::Stopping::paper);
    const double found = median_of(cell, band.which);
    part.claims.push_back(
        {fmt::format("{}: median {:.3f}, recorded {:.3f}", name_of(cell), found, band.recorded),
         std::abs(found - band.recorded) <= kBand});
  }
}

}  // namespace

Study small_study(bool quick) {
  return {"small",           small_task(), {true, false},
          published_small(), kPaperSeeds,  quick ? kPaperSeeds : kManySeeds,
          kSmallCurve};
}

Study mismatch_study(bool quick) {
  Study out = small_study(quick);
  out.name = "mismatch";
  out.task = mismatch_task();
  out.readings = {false};
  out.published = published_mismatch();
  return out;
}

Study large_study(bool quick) {
  Study out{"large",     large_task(),    {true, false}, published_large(),
            kPaperSeeds, kManyLargeSeeds, kLargeCurve};
  out.task.epochs = kLargeEpochs;
  if (quick) {
    out.few = out.many = kQuickLargeSeeds;
    out.task.epochs = out.curve_epochs = kQuickLargeEpochs;
  }
  return out;
}

const std::vector<Cell>& Studies::cells(const Study& study, const Settings& settings) {
  const auto known = cells_.find(study.name);
  if (known != cells_.end()) return known->second;
  return cells_.emplace(study.name, run(study, settings)).first->second;
}

Part Studies::small(const Settings& settings) {
  const Study study = small_study(settings.quick);
  const std::vector<Cell>& found = cells(study, settings);
  Part out = describe(study, found, settings);
  out.result.push_back({"shown", {shown(study, settings)}});
  check_bands(found,
              {{true, graph::Rule::direct, &Outcome::beyond, 0.088},
               {true, graph::Rule::conditioned, &Outcome::beyond, 0.238},
               {false, graph::Rule::direct, &Outcome::beyond, 0.356},
               {false, graph::Rule::conditioned, &Outcome::beyond, 0.056}},
              settings, out);
  for (const bool same_means : study.readings) {
    const auto median = [&](graph::Rule rule) {
      return median_of(find(found, same_means, rule, TrainerOptions::Stopping::paper),
                       &Outcome::beyond);
    };
    // Twenty seeds do not tell.
    if (!settings.quick)
      out.claims.push_back(
          at_most(fmt::format("extrapolation NLL, {} means, conditioned against direct",
                              same_means ? "same" : "fresh"),
                  median(graph::Rule::conditioned), median(graph::Rule::direct)));
  }
  return out;
}

Part Studies::mismatch(const Settings& settings) {
  const Study study = mismatch_study(settings.quick);
  const std::vector<Cell>& found = cells(study, settings);
  Part out = describe(study, found, settings);
  out.result.push_back({"shown", {shown(study, settings)}});
  check_bands(found,
              {{false, graph::Rule::direct, &Outcome::beyond, -0.175},
               {false, graph::Rule::conditioned, &Outcome::beyond, -0.218}},
              settings, out);
  const Cell& conditioned =
      find(found, false, graph::Rule::conditioned, TrainerOptions::Stopping::paper);
  if (!settings.quick)
    out.claims.push_back(at_most("conditioned, extrapolation NLL",
                                 median_of(conditioned, &Outcome::beyond), kMismatchGoal));
  return out;
}

Part Studies::large(const Settings& settings) {
  const Study study = large_study(settings.quick);
  const std::vector<Cell>& found = cells(study, settings);
  Part out = describe(study, found, settings);
  out.result.push_back({"shown", {shown(study, settings)}});
  check_bands(found,
              {{true, graph::Rule::conditioned, &Outcome::training, -0.819},
               {false, graph::Rule::conditioned, &Outcome::training, -0.804}},
              settings, out);
  if (settings.quick) return out;
  for (const bool same_means : study.readings) {
    const std::string means = same_means ? "same means" : "fresh means";
    const Cell& paper =
        find(found, same_means, graph::Rule::conditioned, TrainerOptions::Stopping::paper);
    const Cell& score =
        find(found, same_means, graph::Rule::conditioned, TrainerOptions::Stopping::score);
    out.claims.push_back(at_most(
        fmt::format("conditioned, {}, training NLL after {} epochs", means, kLargeGoalEpochs),
        after(paper, kLargeGoalEpochs), kLargeTrainingGoal));
    out.claims.push_back(at_most("conditioned, " + means + ", IQR of the extrapolation NLL",
                                 range_of(score, &Outcome::beyond), kLargeRangeGoal));
  }
  return out;
}

Part Studies::summary(const Settings& settings) {
  Part out{"summary", {}, {}, {}};
  for (const Study& study :
       {small_study(settings.quick), mismatch_study(settings.quick), large_study(settings.quick)})
    out.result.push_back({study.name, {summarise(study, cells(study, settings), settings, out)}});
  return out;
}

}  // namespace postrider::experiments
