// Tables for commands: how they are opened, and what their columns hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "postrider/table.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// What a command is told of a file of data.
struct DataRequest {
  std::string path;
  std::string format = "infer";
  std::string delimiter;  // empty: inferred
  bool no_header = false;
  std::vector<std::string> keys = {};  // columns that are passed on as they are
  bool skip_bad = false;               // rows that cannot be read are passed over and told

  TableOptions options() const;  // throws InvalidArgument
};

// By the schema of a model.
// Rows to be predicted may lack columns; those to be learned may not, since a column that was renamed would be unlearned.
enum class RowsFor { prediction, learning };
TableReader open_for_model(const DataRequest& request, const TableModel& model,
                           RowsFor use = RowsFor::prediction);

// All rows of a file.
struct LoadedTable {
  Table table;
  std::vector<std::size_t> lines;  // of the file, from 1, on which each row begins
};
LoadedTable read_all(TableReader& reader);

struct ColumnSummary {
  ColumnSchema schema;
  bool is_known = false;  // false: ignored, or absent from the file; then nothing else is told
  std::size_t missing = 0, unknown = 0, numbers = 0;      // numbers: those that are known
  std::optional<double> least, largest, mean, deviation;  // of numbers, and of dates in seconds
  // Rows of each category, and last of all texts that share inputs, if there may be some.
  std::vector<std::size_t> counts;
};
std::vector<ColumnSummary> summaries_of(const Table& table);
// For rows that come chunk by chunk.
void add_rows(const Table& chunk, std::vector<ColumnSummary>& to);
// What the schema alone says, without rows.
std::vector<ColumnSummary> summaries_of(const Schema& schema);

// With what the model's profile tells of the rows that it has learned.
std::vector<ColumnSummary> learned_summaries(const TableModel& model);

// A designed table: name, kind, values, missing, remarks.
std::string columns_text(const std::vector<ColumnSummary>& columns);

// A cell as the file had it, or "missing", or "unknown".
std::string cell_text(const Table& table, std::size_t column, std::size_t row);

}  // namespace postrider::cli
