#include "site_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/workers.h"
#include "described.h"
#include "postrider/error.h"

namespace postrider::experiments {
using namespace internal;
namespace {

std::int64_t whole(std::size_t count) { return static_cast<std::int64_t>(count); }

Object describe(const Count& count) {
  return {{"sent", {whole(count.sent)}},
          {"negative", {whole(count.negative)}},
          {"deep", {whole(count.deep)}}};
}

// By edge: in all, per layer, and the share of negative ones per epoch.
Object describe_edges(const SiteCell& cell, std::size_t epochs) {
  const SiteCounts total = cell.total();
  Object out;
  for (std::size_t e = 0; e < kEdges; ++e) {
    const Edge edge = static_cast<Edge>(e);
    Object entry = describe(total.of(edge));
    for (std::size_t l = 0; l < total.layers.size(); ++l)
      if (total.layers[l][e].sent > 0)
        entry.push_back({fmt::format("layer_{}", l + 1), {describe(total.layers[l][e])}});
    std::vector<double> shares;
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
      Count at;
      for (const SiteRun& run : cell.runs)
        if (epoch < run.epochs.size()) at += run.epochs[epoch].of(edge);
      if (at.sent > 0)
        shares.push_back(static_cast<double>(at.negative) / static_cast<double>(at.sent));
    }
    entry.push_back({"share_by_epoch", {shares}});
    out.push_back({std::string(kEdgeNames[e]), {entry}});
  }
  return out;
}

Object describe_undefined(const SiteCounts& total) {
  Object out;
  for (std::size_t k = 1; k < kUndefined; ++k)
    out.push_back({std::string(kUndefinedNames[k]), {whole(total.undefined[k])}});
  return out;
}

Object describe_failures(const SiteCell& cell) {
  std::vector<double> epochs, examples;
  std::array<std::size_t, kUndefined> reasons{};
  for (const SiteRun& run : cell.runs) {
    if (!run.failure) continue;
    epochs.push_back(static_cast<double>(run.failure->epoch));
    examples.push_back(static_cast<double>(run.failure->example));
    ++reasons[static_cast<std::size_t>(run.failure->why)];
  }
  Object why;
  for (std::size_t k = 1; k < kUndefined; ++k)
    why.push_back({std::string(kUndefinedNames[k]), {whole(reasons[k])}});
  return {{"seeds", {whole(epochs.size())}},
          {"epoch", {epochs}},
          {"examples_before", {examples}},
          {"reason", {why}}};
}

std::vector<double> values_of(const SiteCell& cell, double Outcome::*which) {
  std::vector<double> out;
  for (const SiteRun& run : cell.runs) out.push_back(run.outcome.*which);
  return out;
}

Object describe(const SiteCell& cell, std::size_t epochs, const Settings& settings) {
  const SiteCounts total = cell.total();
  Object out{{"sites", {describe_edges(cell, epochs)}},  {"used", {describe(total.used())}},
             {"undefined", {describe_undefined(total)}}, {"unresolved", {whole(total.unresolved)}},
             {"guarded", {whole(total.guarded)}},        {"failures", {describe_failures(cell)}}};
  if (cell.method.at_undefined == SiteNetwork::AtUndefined::stop) return out;
  std::size_t stopped = 0;
  std::vector<std::vector<double>> curves;
  for (const SiteRun& run : cell.runs) {
    stopped += run.outcome.has_stopped ? 1 : 0;
    curves.push_back(run.curve);
  }
  out.push_back({"stopped", {whole(stopped)}});
  out.push_back({"curve", {quartiles(curves)}});
  for (const auto& [name, value] : all_quantities())
    out.push_back({name, {describe_values(values_of(cell, value), settings)}});
  return out;
}

}  // namespace

SiteCounts SiteCell::total() const {
  SiteCounts out(runs.front().epochs.front().layers.size());
  for (const SiteRun& run : runs)
    for (const SiteCounts& epoch : run.epochs) out += epoch;
  return out;
}

std::vector<SiteCell> run(const SiteStudy& study, const Settings& settings) {
  std::vector<SiteCell> cells;
  for (const SiteMethod& method : site_methods())
    cells.push_back({method, std::vector<SiteRun>(study.seeds)});
  // Seeds outermost: few large ones still keep all threads busy.
  Workers(settings.threads).run(study.seeds * cells.size(), [&](std::size_t job) {
    const std::size_t seed = job / cells.size();
    SiteCell& cell = cells[job % cells.size()];
    const Problem problem = draw(study.study, study.same_means, settings.seed, seed);
    cell.runs[seed] = run_sites(study.study.task, problem, cell.method, study.epochs);
  });
  return cells;
}

Object describe(const SiteStudy& study, const std::vector<SiteCell>& cells,
                const Settings& settings) {
  Object methods;
  for (const SiteCell& cell : cells)
    methods.push_back({cell.method.name, {describe(cell, study.epochs, settings)}});
  return {{"seeds", {whole(study.seeds)}},
          {"epochs_run", {whole(study.epochs)}},
          {"examples", {whole(study.study.task.examples)}},
          {"methods", {methods}}};
}

const SiteCell& find(const std::vector<SiteCell>& cells, const std::string& method) {
  for (const SiteCell& cell : cells)
    if (cell.method.name == method) return cell;
  reject("method", method, "is not among the cells");
}

double median_of(const SiteCell& cell, double Outcome::*which) {
  std::vector<double> values = values_of(cell, which);
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace postrider::experiments
