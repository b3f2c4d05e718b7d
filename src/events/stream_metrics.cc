#include "events/stream_metrics.h"

#include <fmt/format.h>

#include <cmath>

namespace postrider::cli {
namespace {

std::string figure(const char* name, const char* type, const char* help, double value) {
  return fmt::format(
      "# HELP postrider_stream_{0} {1}\n# TYPE postrider_stream_{0} {2}\n"
      "postrider_stream_{0} {3}\n",
      name, help, type, std::isnan(value) ? "NaN" : fmt::format("{:.10g}", value));
}

// One name for each unit; while nobody knows the figure it is NaN, as Prometheus reads it.
std::string lag_metric(const StreamLag& lag) {
  switch (lag.unit) {
    case StreamLag::Unit::none:
      break;
    case StreamLag::Unit::events:
      return figure("lag_events", "gauge", "Events behind the newest.", lag.value);
    case StreamLag::Unit::seconds:
      return figure("lag_seconds", "gauge", "Age of the last event; 0 behind the newest.",
                    lag.value);
  }
  return {};
}

std::string late_metrics(const StreamFigures::Late& late) {
  const LateTargets::Counts& counts = late.counts;
  return figure("joined_total", "counter", "Late targets that found their row.",
                static_cast<double>(counts.joined)) +
         figure("unmatched_total", "counter", "Late targets for which no row waits.",
                static_cast<double>(counts.unmatched)) +
         figure("left_total", "counter", "Rows that left the window without a target.",
                static_cast<double>(counts.left)) +
         figure("waiting", "gauge", "Rows that wait for their target.",
                static_cast<double>(late.waiting));
}

}  // namespace

std::string stream_metrics(const StreamFigures& figures) {
  const RunningScore::Sums& recent = figures.score.recent();
  const auto rows = static_cast<double>(recent.rows);
  std::string out = figure("rows_total", "counter", "Rows that were predicted.",
                           static_cast<double>(figures.rows));
  out += figure("refused_total", "counter", "Events that made no sense.",
                static_cast<double>(figures.refused));
  out += figure("changes_total", "counter", "Changes and drifts that were told.",
                static_cast<double>(figures.changes));
  out +=
      figure("rows_per_second", "gauge", "Rows a second since the start.", figures.rows_per_second);
  out += figure("snapshot_age_seconds", "gauge", "Seconds since the model was saved.",
                figures.snapshot_age);
  out += figure("source_answers", "gauge", "Whether the source can be read: 1, or 0 in an outage.",
                figures.source_answers ? 1 : 0);
  out += lag_metric(figures.lag);
  if (figures.late) out += late_metrics(*figures.late);
  if (recent.rows == 0) return out;
  if (figures.score.classifies()) {
    out += figure("log_loss", "gauge", "Of the last thousand rows.", recent.first / rows);
    return out + figure("accuracy", "gauge", "Of the last thousand rows.", recent.second / rows);
  }
  out += figure("log_likelihood", "gauge", "Of the last thousand rows.", recent.first / rows);
  return out + figure("coverage", "gauge", "Share of the last thousand rows in their intervals.",
                      recent.inside / rows);
}

}  // namespace postrider::cli
