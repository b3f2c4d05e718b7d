// What a report says, part by part, from a model and rows that it has not seen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "postrider/report.h"
#include "report/content.h"

namespace postrider::internal {

// Rows whose target is known, as estimators and certificates take them.
struct RowsWithTarget {
  Table table;
  std::vector<std::size_t> lines;    // of the file, or how many rows were before, and one
  std::vector<double> inputs;        // encoded, row by row
  std::vector<double> targets;       // numbers, or class numbers
  RepeatWatch::Found repeated = {};  // that were learned before

  std::vector<std::size_t> labels() const { return {targets.begin(), targets.end()}; }
};

struct ReportSource {
  const TableModel& model;
  const RowsWithTarget& rows;
  double level;                        // of intervals
  std::vector<std::string> keys = {};  // that name rows; the table has their texts first
};

std::vector<ReportColumn> report_columns(const TableModel& model, const Table& table);
std::vector<ReportTraining> report_training(const TableModel& model);
std::vector<ReportWeights> report_weights(const TableModel& model);
std::vector<ReportImportance> report_importances(const ReportSource& source);
void add_metrics(const ReportSource& source, const TableEvaluation& evaluation, ReportContent& to);
// The inputs that matter most, of numbers and categories.
std::vector<PartialDependence> report_dependences(const ReportSource& source,
                                                  std::vector<ReportImportance> importances);
// The pairs of columns that clearly act together.
std::vector<Interaction> report_interactions(const ReportSource& source);
// Over a column of times and by a column of groups; empty names: not.
void add_errors(const ReportSource& source, const std::string& time, const std::string& group,
                std::size_t user_keys, ReportContent& to);
// After all others: it looks at what they say.
void add_headline(const ReportSource& source, const TableEvaluation& evaluation, ReportContent& to);
// Predictions, calibration, and the most and least certain rows.
void add_number_predictions(const ReportSource& source, ReportContent& to);
void add_class_predictions(const ReportSource& source, ReportContent& to);

}  // namespace postrider::internal
