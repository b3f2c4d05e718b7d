// Files of tables as commands open them: text, or Parquet and Arrow files where the module that reads them is found.
#pragma once

#include <string>

#include "postrider/table.h"

namespace postrider::cli {

TableReader open_table(const std::string& path, const TableOptions& options);
TableReader open_table(const std::string& path, const Schema& schema, const TableOptions& options);

// A stream or a file of Arrow's, or Parquet, in memory that stays while the reader is used. Throws InvalidArgument if there is no module.
TableReader open_arrow_bytes(const std::string& bytes, const Schema& schema,
                             const TableOptions& options);

}  // namespace postrider::cli
