// The parts of a report, from a model and rows that it has not seen.
#pragma once

#include <vector>

#include "cli/observed.h"
#include "cli/report/content.h"
#include "postrider/table_model.h"

namespace postrider::cli {

struct ReportSource {
  const TableModel& model;
  const ObservedTable& rows;
  double level;  // of intervals
};

std::vector<ReportColumn> report_columns(const Table& table);
std::vector<ReportTraining> report_training(const TableModel& model);
std::vector<ReportWeights> report_weights(const TableModel& model);
std::vector<ReportImportance> report_importances(const ReportSource& source);
void add_metrics(const ReportSource& source, ReportContent& to);
// Predictions, calibration, and the most and least certain rows.
void add_number_predictions(const ReportSource& source, ReportContent& to);
void add_class_predictions(const ReportSource& source, ReportContent& to);

}  // namespace postrider::cli
