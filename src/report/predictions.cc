// What a report says of predictions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "postrider/explain.h"
#include "postrider/metrics.h"
#include "report/content_parts.h"
#include "text/columns.h"
#include "text/text_table.h"

namespace postrider::internal {
using namespace cli;  // words of src/text

namespace {

constexpr double kNinetyFive = 1.959964;  // standard errors on either side that hold 95 %
constexpr std::size_t kRowsListed = 5;    // of the most and the least certain
constexpr std::size_t kMovesListed = 4;   // columns of each

ReportMetric metric(const char* name, const Estimate& estimate, const char* explanation) {
  const double half = kNinetyFive * estimate.standard_error;
  return {name, estimate.value, estimate.value - half, estimate.value + half, explanation};
}

std::vector<ReportFact> inputs_of(const Table& table, std::size_t row) {
  std::vector<ReportFact> out;
  const std::vector<ColumnSchema>& columns = table.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!columns[c].target && columns[c].kind != ColumnSchema::Kind::ignored)
      out.push_back({columns[c].name, cell_text(table, c, row)});
  return out;
}

// Contributions to the mean, or to the probability of the most probable class.
std::vector<ReportFact> moves_of(const ReportSource& source, std::size_t row) {
  const std::vector<std::size_t> one{row};
  const Explanation found = explain(source.model, source.rows.table.selected(one));
  const auto quantity = source.model.classifies()
                            ? static_cast<std::size_t>(std::ranges::max_element(found.predictions) -
                                                       found.predictions.begin())
                            : 0;
  const auto size = [&](std::size_t c) {
    return std::abs(found.contributions[found.place(0, c, quantity)]);
  };
  std::vector<std::size_t> order(found.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), size);
  std::vector<ReportFact> out;
  for (const std::size_t c : std::span(order).first(std::min(kMovesListed, order.size()))) {
    const double move = found.contributions[found.place(0, c, quantity)];
    if (move == 0) break;
    const double shown = source.model.classifies() ? 100 * move : move;
    out.push_back({found.columns[c], (move > 0 ? "+" : "") + short_number(shown) +
                                         (source.model.classifies() ? " %" : "")});
  }
  return out;
}

// From the smallest up.
std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<std::size_t> out(values.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, [&](std::size_t r) { return values[r]; });
  return out;
}

// The rows with the smallest and the largest doubts, and those whose target was the least likely.
void add_rows(const std::vector<double>& doubts, const std::vector<double>& likelihoods,
              const std::function<ReportRow(std::size_t)>& row, ReportContent& to) {
  const std::vector<std::size_t> order = order_of(doubts), unlikely = order_of(likelihoods);
  for (std::size_t k = 0; k < std::min(kRowsListed, order.size()); ++k) {
    to.most_certain.push_back(row(order[k]));
    to.least_certain.push_back(row(order[order.size() - 1 - k]));
    to.furthest_off.push_back(row(unlikely[k]));
  }
}

std::vector<ReportFact> keys_of(const ReportSource& source, std::size_t row) {
  std::vector<ReportFact> out;
  for (std::size_t k = 0; k < source.keys.size(); ++k)
    out.push_back({source.keys[k], source.rows.table.key(k, row)});
  return out;
}

}  // namespace

void add_metrics(const ReportSource& source, const TableEvaluation& e, ReportContent& to) {
  if (source.model.classifies()) {
    to.metrics = {metric("Accuracy", e.accuracy, "Share of right classes; higher is better."),
                  metric("Log-loss", e.log_loss, "Nats per row; lower is better."),
                  metric("Brier score", e.brier, "From 0 to 2; lower is better."),
                  metric("Area under the curve", e.area_under_curve,
                         "How well classes are told apart: 0.5 is chance, 1 is best."),
                  metric("Average precision", e.average_precision,
                         "Mean precision over all thresholds; higher is better."),
                  metric("Calibration error", e.expected_calibration_error,
                         "Mean distance of probabilities from shares; lower is better.")};
    for (const TableEvaluation::Bin& bin : e.bins)
      to.reliability.push_back({bin.confidence, bin.accuracy, bin.rows});
    return;
  }
  to.metrics = {metric("Root mean square error", e.root_mean_square_error,
                       "In units of the target; lower is better."),
                metric("Mean absolute error", e.mean_absolute_error,
                       "In units of the target; lower is better."),
                metric("R²", e.explained_variance,
                       "Share of the variance that is explained; higher is better."),
                metric("Log-likelihood", e.log_likelihood,
                       "Nats per row: number and width together; higher is better."),
                metric("CRPS", e.crps,
                       "Like a mean absolute error for whole distributions; lower is better.")};
  if (e.mean_absolute_percentage_error)
    to.metrics.push_back(metric("Mean absolute percentage error", *e.mean_absolute_percentage_error,
                                "A share of the target; lower is better."));
}

void add_number_predictions(const ReportSource& source, ReportContent& to) {
  const RowsWithTarget& rows = source.rows;
  const TableModel::Prediction predicted = source.model.predict(rows.table);
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
      predicted.std, predicted.distributions.log_densities(rows.targets),
      [&](std::size_t r) {
        const double y = rows.targets[r];
        return ReportRow{
            rows.lines[r],
            fmt::format("{} ± {}", short_number(p.mean[r]), short_number(p.high[r] - p.mean[r])),
            short_number(y),
            y >= p.low[r] && y <= p.high[r],
            inputs_of(rows.table, r),
            keys_of(source, r),
            moves_of(source, r)};
      },
      to);
  to.predictions = std::move(p);
  to.calibration = std::move(calibration);
}

void add_class_predictions(const ReportSource& source, ReportContent& to) {
  const RowsWithTarget& rows = source.rows;
  const std::vector<std::string>& classes = source.model.classes();
  const TableModel::Prediction predicted = source.model.predict(rows.table);
  const std::vector<std::size_t> chosen = predicted.most_probable(), labels = rows.labels();
  ReportConfusion confusion{classes, std::vector<std::size_t>(classes.size() * classes.size())};
  std::vector<double> doubts, likelihoods;
  for (std::size_t r = 0; r < predicted.rows; ++r) {
    ++confusion.counts[labels[r] * classes.size() + chosen[r]];
    doubts.push_back(1 - predicted.probabilities[r * classes.size() + chosen[r]]);
    likelihoods.push_back(predicted.probabilities[r * classes.size() + labels[r]]);
  }
  add_rows(
      doubts, likelihoods,
      [&](std::size_t r) {
        return ReportRow{rows.lines[r],
                         fmt::format("{} ({:.1f} %)", classes[chosen[r]], 100 * (1 - doubts[r])),
                         classes[labels[r]],
                         chosen[r] == labels[r],
                         inputs_of(rows.table, r),
                         keys_of(source, r),
                         moves_of(source, r)};
      },
      to);
  to.confusion = std::move(confusion);
}

}  // namespace postrider::internal
