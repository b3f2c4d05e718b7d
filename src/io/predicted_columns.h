// Predictions row by row, in the columns that predict writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/open_table.h"
#include "postrider/table_model.h"
#include "text/json_text.h"

namespace postrider::cli {

struct PredictRequest {
  std::string model;
  DataRequest data;
  std::string output;
  bool force = false;  // replaces a file of another kind
  double level = 0.9;
  std::vector<double> quantiles;
  bool parts = false;  // of the standard deviation
  std::size_t samples = 0;
  std::uint64_t seed = 1;
  bool far = false;                 // tells which rows are far from all that were learned
  std::optional<double> threshold;  // of two classes, the second one's probability
  bool json = false, quiet = false;
};

// Throws InvalidArgument if level or quantiles cannot be asked for; their names are written with these dashes.
void expect_possible(const PredictRequest& request, const TableModel& model,
                     const std::string& dashes);

// What was observed stands beside the predictions under this name.
inline constexpr const char* kTargetName = "target";
JsonCell target_cell(const TableModel& model, const Table& table, std::size_t row);

// The columns of the result, and a row's values in them. Request and model must outlive this.
class PredictedColumns {
 public:
  // Where it is known already, how far rows are from those learned; else it is found out if it is asked for.
  PredictedColumns(const PredictRequest& request, const TableModel& model,
                   const FarRowWatch* far = nullptr);

  const std::vector<std::string>& names() const { return names_; }
  // The rows that come next.
  void begin(TableModel::Prediction prediction, const Table& table);
  std::vector<JsonCell> row(std::size_t row) const;

 private:
  const PredictRequest& request_;
  const TableModel& model_;
  std::vector<std::string> names_;
  TableModel::Prediction prediction_;
  std::vector<std::vector<std::string>> keys_;  // row by row
  std::vector<std::size_t> most_probable_;
  std::vector<double> intervals_, quantiles_, samples_;
  std::optional<FarRowWatch> own_far_rows_;
  const FarRowWatch* far_rows_ = nullptr;  // only if it is asked for
  std::vector<bool> far_;
  std::size_t rows_before_ = 0;
};

std::string csv_line(const std::vector<JsonCell>& cells);
std::string csv_header(const std::vector<std::string>& names);

}  // namespace postrider::cli
