// What the columns of a table hold, and how a person is told.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "postrider/table_model.h"

namespace postrider::cli {

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

// The columns of a table that inputs of the networks come from, in the order of the inputs, and the inputs of each.
struct ColumnGroups {
  std::vector<std::size_t> places;  // in the schema
  std::vector<std::vector<std::size_t>> inputs;

  explicit ColumnGroups(const TableModel& model);
};

// A designed table: name, kind, values, missing, remarks.
std::string columns_text(const std::vector<ColumnSummary>& columns);

// A cell as the file had it, or "missing", or "unknown".
std::string cell_text(const Table& table, std::size_t column, std::size_t row);

}  // namespace postrider::cli
