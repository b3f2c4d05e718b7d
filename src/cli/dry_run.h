// train --dry-run: what is understood of a table, and nothing is learned.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "postrider/table.h"

namespace postrider::cli {

// Reads all rows: what stands in the last one may be an error, too. The schema has a target.
ExitCode tell_understood(TableReader& reader, const std::string& path, bool json);

}  // namespace postrider::cli
