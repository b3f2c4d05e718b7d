// What a report says of predictions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "cli/commands/report_parts.h"
#include "cli/text_table.h"
#include "postrider/metrics.h"

namespace postrider::cli {
namespace {

constexpr double kNinetyFive = 1.959964;  // standard errors on either side that hold 95 %
constexpr std::size_t kRowsListed = 5;    // of the most and the least certain

ReportMetric metric(const char* name, const Estimate& estimate, const char* explanation) {
  const double half = kNinetyFive * estimate.standard_error;
  return {name, estimate.value, estimate.value - half, estimate.value + half, explanation};
}

std::vector<ReportFact> inputs_of(const Table& table, std::size_t row) {
  std::vector<ReportFact> out;
  const std::vector<ColumnSchema>& columns = table.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!columns[c].target && columns[c].kind != ColumnKind::ignored)
      out.push_back({columns[c].name, cell_text(table, c, row)});
  return out;
}

// The rows with the smallest and the largest doubts.
void add_rows(const std::vector<double>& doubts, const std::function<ReportRow(std::size_t)>& row,
              ReportContent& to) {
  std::vector<std::size_t> order(doubts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t r) { return doubts[r]; });
  for (std::size_t k = 0; k < std::min(kRowsListed, order.size()); ++k) {
    to.most_certain.push_back(row(order[k]));
    to.least_certain.push_back(row(order[order.size() - 1 - k]));
  }
}

}  // namespace

void add_metrics(const ReportSource& source, ReportContent& to) {
  const TableEvaluation e = source.model.evaluate(source.rows.table);
  if (source.model.classifies()) {
    to.metrics = {metric("Accuracy", e.accuracy, "Share of right classes; higher is better."),
                  metric("Log-loss", e.log_loss, "Nats per row; lower is better."),
                  metric("Brier score", e.brier, "From 0 to 2; lower is better."),
                  metric("Calibration error", e.expected_calibration_error,
                         "Mean distance of probabilities from shares; lower is better.")};
    for (const CalibrationBin& bin : e.bins)
      to.reliability.push_back({bin.confidence, bin.accuracy, bin.rows});
    return;
  }
  to.metrics = {metric("Root mean square error", e.root_mean_square_error,
                       "In units of the target; lower is better."),
                metric("Mean absolute error", e.mean_absolute_error,
                       "In units of the target; lower is better."),
                metric("Log-likelihood", e.log_likelihood,
                       "Nats per row: number and width together; higher is better."),
                metric("CRPS", e.crps,
                       "Like a mean absolute error for whole distributions; lower is better.")};
}

void add_number_predictions(const ReportSource& source, ReportContent& to) {
  const ObservedTable& rows = source.rows;
  const TablePrediction predicted = source.model.predict(rows.table);
  const std::vector<double> bounds = predicted.intervals(source.level);
  ReportPredictions p{source.model.target(), source.level, rows.targets, predicted.mean, {}, {}};
  for (std::size_t r = 0; r < predicted.rows; ++r) {
    p.low.push_back(bounds[2 * r]);
    p.high.push_back(bounds[2 * r + 1]);
  }
  ReportCalibration calibration{calibration_levels(), {}};
  const std::vector<double> levels = predicted.distributions.levels(rows.targets);
  for (const double level : calibration.level)
    calibration.coverage.push_back(
        static_cast<double>(std::ranges::count_if(levels, [&](double at) { return at < level; })) /
        static_cast<double>(levels.size()));
  add_rows(
      predicted.std,
      [&](std::size_t r) {
        const double y = rows.targets[r];
        return ReportRow{
            rows.lines[r],
            fmt::format("{} ± {}", short_number(p.mean[r]), short_number(p.high[r] - p.mean[r])),
            short_number(y), y >= p.low[r] && y <= p.high[r], inputs_of(rows.table, r)};
      },
      to);
  to.predictions = std::move(p);
  to.calibration = std::move(calibration);
}

void add_class_predictions(const ReportSource& source, ReportContent& to) {
  const ObservedTable& rows = source.rows;
  const std::vector<std::string>& classes = source.model.classes();
  const TablePrediction predicted = source.model.predict(rows.table);
  const std::vector<std::size_t> chosen = predicted.most_probable(), labels = rows.labels();
  ReportConfusion confusion{classes, std::vector<std::size_t>(classes.size() * classes.size())};
  std::vector<double> doubts;
  for (std::size_t r = 0; r < predicted.rows; ++r) {
    ++confusion.counts[labels[r] * classes.size() + chosen[r]];
    doubts.push_back(1 - predicted.probabilities[r * classes.size() + chosen[r]]);
  }
  add_rows(
      doubts,
      [&](std::size_t r) {
        return ReportRow{rows.lines[r],
                         fmt::format("{} ({:.1f} %)", classes[chosen[r]], 100 * (1 - doubts[r])),
                         classes[labels[r]], chosen[r] == labels[r], inputs_of(rows.table, r)};
      },
      to);
  to.confusion = std::move(confusion);
}

}  // namespace postrider::cli
