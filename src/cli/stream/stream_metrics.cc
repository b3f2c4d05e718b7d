#include "cli/stream/stream_metrics.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace postrider::cli {
namespace {

std::string figure(const char* name, const char* type, const char* help, double value) {
  return fmt::format(
      "# HELP postrider_stream_{0} {1}\n# TYPE postrider_stream_{0} {2}\n"
      "postrider_stream_{0} {3:.10g}\n",
      name, help, type, value);
}

// "17 events", "0.4 s" or "none"; not a number where nobody knows.
double lag_of(const std::string& text) {
  if (text == "none") return 0;
  char* end = nullptr;
  const double out = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nan("") : out;
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
  if (!figures.lag.empty())
    out += figures.lag.ends_with(" s") || figures.lag == "none"
               ? figure("lag_seconds", "gauge", "Age of the last event.", lag_of(figures.lag))
               : figure("lag_events", "gauge", "Events behind the newest.", lag_of(figures.lag));
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
