#include "study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/workers.h"
#include "described.h"
#include "postrider/error.h"
#include "postrider/metrics.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::uint64_t kWideStreams = 1'000'000;  // data networks of the mismatch

std::string name_of(graph::Rule rule) {
  return rule == graph::Rule::direct ? "direct" : "conditioned";
}

Object describe(const Cell& cell, std::size_t seeds, const Settings& settings) {
  Object out{{"seeds", {static_cast<std::int64_t>(seeds)}}};
  std::int64_t stopped = 0;
  for (std::size_t i = 0; i < seeds; ++i) stopped += cell.outcomes[i].has_stopped ? 1 : 0;
  out.push_back({"stopped", {stopped}});
  for (const auto& [name, value] : all_quantities())
    out.push_back({name, {describe_values(values_of(cell, value, seeds), settings)}});
  return out;
}

Object describe(const Study& study, const Cell& cell, const Settings& settings) {
  Object out{{"few", {describe(cell, study.few, settings)}},
             {"compared", {describe(cell, study.compared(), settings)}},
             {"many", {describe(cell, study.many, settings)}}};
  out.push_back({"coverage", {describe_coverage(cell.outcomes)}});
  if (!cell.curves.empty()) out.push_back({"curve", {quartiles(cell.curves)}});
  Object by_seed;
  for (const auto& [name, value] : all_quantities())
    by_seed.push_back({name, {values_of(cell, value, study.few)}});
  out.push_back({"by_seed", {by_seed}});
  return out;
}

}  // namespace

std::string name_of(const Cell& cell) {
  return fmt::format("{}_{}_{}", cell.same_means ? "same" : "fresh", name_of(cell.method.rule),
                     cell.method.stopping == TrainerOptions::Stopping::paper ? "paper" : "score");
}

Problem draw(const Study& study, bool same_means, std::uint64_t seed, std::size_t index) {
  const NetworkTask& task = study.task;
  const RandomStream random(seed, 2 * index + (task.is_large ? 1 : 0));
  if (!task.data_widths.empty())
    return draw_mismatched(task, random, RandomStream(seed, kWideStreams + index));
  return draw(task, same_means, random);
}

std::vector<Cell> run(const Study& study, const Settings& settings) {
  std::vector<Cell> cells;
  for (const bool same_means : study.readings)
    for (const graph::Rule rule : {graph::Rule::direct, graph::Rule::conditioned})
      for (const TrainerOptions::Stopping stopping :
           {TrainerOptions::Stopping::paper, TrainerOptions::Stopping::score}) {
        Cell cell{same_means, {rule, stopping}, std::vector<Outcome>(study.many), {}};
        if (stopping == TrainerOptions::Stopping::paper) cell.curves.resize(study.few);
        cells.push_back(std::move(cell));
      }
  Workers(settings.threads).run(study.many, [&](std::size_t i) {
    for (Cell& cell : cells) {
      const Problem problem = draw(study, cell.same_means, settings.seed, i);
      cell.outcomes[i] = train(study.task, problem, cell.method);
      if (i < cell.curves.size())
        cell.curves[i] = training_curve(study.task, problem, cell.method.rule, study.curve_epochs);
    }
  });
  return cells;
}

std::vector<double> values_of(const Cell& cell, double Outcome::*which, std::size_t seeds) {
  std::vector<double> out;
  for (std::size_t i = 0; i < seeds; ++i) out.push_back(cell.outcomes[i].*which);
  return out;
}

double quantile_of(const Cell& cell, double Outcome::*which, double share) {
  std::vector<double> values = values_of(cell, which, cell.outcomes.size());
  std::sort(values.begin(), values.end());
  return quantile(values, share);
}

double median_of(const Cell& cell, double Outcome::*which) { return quantile_of(cell, which, 0.5); }

Part describe(const Study& study, const std::vector<Cell>& cells, const Settings& settings) {
  Part out{study.name, {}, {}, {}};
  const double noise = study.task.shape.noise_variance;
  out.result = {{"few_seeds", {static_cast<std::int64_t>(study.few)}},
                {"many_seeds", {static_cast<std::int64_t>(study.many)}},
                {"epoch_limit", {static_cast<std::int64_t>(study.task.epochs)}},
                {"training_floor", {std::log(2 * std::numbers::pi * std::numbers::e * noise) / 2}},
                {"extrapolation_floor", {std::log(2 * std::numbers::pi * noise) / 2}},
                {"levels", {calibration_levels()}}};
  Object published;
  for (const Published& value : study.published) {
    Object entry{{"value", {value.value}}, {"seeds", {static_cast<std::int64_t>(value.seeds)}}};
    if (value.range) entry.push_back({"iqr", {*value.range}});
    published.push_back({value.quantity, {entry}});
  }
  out.result.push_back({"published", {published}});
  std::size_t improper = 0, bounded = 0;
  for (const Cell& cell : cells) {
    out.result.push_back({name_of(cell), {describe(study, cell, settings)}});
    for (const Outcome& outcome : cell.outcomes) {
      improper += outcome.is_proper ? 0 : 1;
      bounded += outcome.bounded;
    }
    out.notes.push_back(fmt::format(
        "{}: training NLL {:.3f}, extrapolation NLL {:.3f}, calibration error {:+.3f}, {:g} epochs",
        name_of(cell), median_of(cell, &Outcome::training), median_of(cell, &Outcome::beyond),
        median_of(cell, &Outcome::calibration), median_of(cell, &Outcome::epochs)));
  }
  out.result.push_back({"runs", {static_cast<std::int64_t>(cells.size() * study.many)}});
  out.result.push_back({"improper_runs", {static_cast<std::int64_t>(improper)}});
  out.result.push_back({"bounded_precisions", {static_cast<std::int64_t>(bounded)}});
  out.claims.push_back(
      {fmt::format("{} of {} runs have a precision that is not positive or a score that is no "
                   "number",
                   improper, cells.size() * study.many),
       improper == 0});
  return out;
}

const Cell& find(const std::vector<Cell>& cells, bool same_means, graph::Rule rule,
                 TrainerOptions::Stopping stopping) {
  for (const Cell& cell : cells)
    if (cell.same_means == same_means && cell.method.rule == rule &&
        cell.method.stopping == stopping)
      return cell;
  reject("study", name_of(rule), "has no such cell");
}

}  // namespace postrider::experiments
