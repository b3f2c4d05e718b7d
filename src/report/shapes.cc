// How predictions move with the inputs, and where errors lie.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "postrider/error.h"
#include "postrider/metrics.h"
#include "postrider/splits.h"
#include "report/content_parts.h"

namespace postrider::internal {

namespace {

constexpr std::size_t kInputsDrawn = 6;
// Pairs are named that make up more of what predictions vary by, and clearly so: by so many standard errors.
constexpr std::size_t kPairsNamed = 6;
constexpr double kLeastShare = 0.005, kClearShare = 2;
constexpr std::size_t kStretches = 12, kGroups = 15;
constexpr double kLeastProbability = 1e-15;

// For each row: how far off it was, its square or log-loss, and whether it was inside or how sure the model was.
struct RowErrors {
  std::vector<double> mean, size, inside;
};

RowErrors errors_of(const ReportSource& source) {
  RowErrors out;
  const TableModel::Prediction said = source.model.predict(source.rows.table);
  const std::vector<double>& targets = source.rows.targets;
  if (!source.model.classifies()) {
    const std::vector<double> levels = said.distributions.levels(targets);
    for (std::size_t row = 0; row < targets.size(); ++row) {
      const double miss = targets[row] - said.mean[row];
      out.mean.push_back(miss);
      out.size.push_back(miss * miss);
      out.inside.push_back(levels[row] < source.level ? 1 : 0);
    }
    return out;
  }
  const std::vector<std::size_t> chosen = said.most_probable(), labels = source.rows.labels();
  const std::size_t classes = said.classes();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    out.mean.push_back(chosen[row] == labels[row] ? 1 : 0);
    out.size.push_back(
        -std::log(std::max(kLeastProbability, said.probabilities[row * classes + labels[row]])));
    out.inside.push_back(said.probabilities[row * classes + chosen[row]]);
  }
  return out;
}

ReportErrors together(const RowErrors& errors, const std::vector<std::size_t>& rows,
                      bool classifies) {
  const auto picked = [&](const std::vector<double>& values) {
    std::vector<double> out;
    for (const std::size_t row : rows) out.push_back(values[row]);
    return mean_estimate(out);
  };
  ReportErrors out;
  out.rows = rows.size();
  const Estimate mean = picked(errors.mean);
  out.mean = mean.value;
  out.error = mean.standard_error;
  out.size = classifies ? picked(errors.size).value : std::sqrt(picked(errors.size).value);
  out.inside = picked(errors.inside).value;
  return out;
}

}  // namespace

std::vector<PartialDependence> report_dependences(const ReportSource& source,
                                                  std::vector<ReportImportance> importances) {
  std::ranges::stable_sort(importances, std::greater(),
                           [](const ReportImportance& one) { return one.loss.value_or(0); });
  std::vector<PartialDependence> out;
  for (const ReportImportance& one : importances) {
    const Schema& schema = source.model.schema();
    const ColumnSchema& column = schema.columns.at(schema.find(one.input));
    const bool is_drawn =
        column.kind == ColumnSchema::Kind::numeric ||
        (column.kind == ColumnSchema::Kind::categorical && !column.categories.empty());
    if (!is_drawn) continue;
    PartialDependence made = partial_dependence(source.model, source.rows.table, one.input);
    if (made.mean.size() > 1) out.push_back(std::move(made));
    if (out.size() == kInputsDrawn) break;
  }
  return out;
}

std::vector<Interaction> report_interactions(const ReportSource& source) {
  std::vector<Interaction> out;
  if (source.rows.targets.size() < 2) return out;
  for (Interaction& one : interactions(source.model, source.rows.table))
    if (one.share > std::max(kLeastShare, kClearShare * one.standard_error) &&
        out.size() < kPairsNamed)
      out.push_back(std::move(one));
  return out;
}

void add_errors(const ReportSource& source, const std::string& time, const std::string& group,
                std::size_t user_keys, ReportContent& to) {
  if (time.empty() && group.empty()) return;
  const RowErrors errors = errors_of(source);
  const Table& table = source.rows.table;
  const bool classifies = source.model.classifies();
  to.time = time;
  to.group = group;
  if (!time.empty()) {
    const std::vector<std::string> texts = table.keys(user_keys);
    const std::vector<double> times = times_of(time, texts);
    to.has_dates =
        texts.front().find_first_of("-/.:") != std::string::npos && std::abs(times.front()) > 1e6;
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return times[row]; });
    const std::size_t stretches = std::min(kStretches, order.size());
    for (std::size_t k = 0; k < stretches; ++k) {
      const auto begin = static_cast<std::ptrdiff_t>(k * order.size() / stretches);
      const auto end = static_cast<std::ptrdiff_t>((k + 1) * order.size() / stretches);
      const std::vector<std::size_t> rows(order.begin() + begin, order.begin() + end);
      to.over_time.push_back(together(errors, rows, classifies));
      to.over_time.back().time = times[rows[rows.size() / 2]];
    }
  }
  if (group.empty()) return;
  std::map<std::string, std::vector<std::size_t>> groups;
  const std::size_t key = user_keys + (time.empty() ? 0 : 1);
  for (std::size_t row = 0; row < table.rows(); ++row) groups[table.key(key, row)].push_back(row);
  for (const auto& [name, rows] : groups) {
    to.by_group.push_back(together(errors, rows, classifies));
    to.by_group.back().name = name.empty() ? "(missing)" : name;
  }
  std::ranges::stable_sort(to.by_group, std::greater(), &ReportErrors::rows);
  to.by_group.resize(std::min(to.by_group.size(), kGroups));
}

}  // namespace postrider::internal
