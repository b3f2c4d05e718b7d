// Files of tables as commands are told of them: how they are opened, and all of their rows.
#pragma once

#include <cstddef>
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

// --- Files of tables as commands open them: text, or Parquet and Arrow files where the module that reads them is found.

TableReader open_table(const std::string& path, const TableOptions& options);
TableReader open_table(const std::string& path, const Schema& schema, const TableOptions& options);

// A stream or a file of Arrow's, or Parquet, in memory that stays while the reader is used. Throws InvalidArgument if there is no module.
TableReader open_arrow_bytes(const std::string& bytes, const Schema& schema,
                             const TableOptions& options);

}  // namespace postrider::cli
