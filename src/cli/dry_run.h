// train --dry-run: what is understood of a table, and nothing is learned.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "postrider/estimator_options.h"
#include "postrider/table.h"

namespace postrider::cli {

// Reads all rows: what stands in the last one may be an error, too. The schema has a target. With these options training would take
// a time that is told, too.
ExitCode tell_understood(TableReader& reader, const std::string& path,
                         const EstimatorOptions& options, bool json);

}  // namespace postrider::cli
