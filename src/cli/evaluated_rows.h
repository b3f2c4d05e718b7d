// The rows that evaluate looked at, one by one.
#pragma once

#include <string>
#include <vector>

#include "io/output.h"
#include "postrider/table_model.h"

namespace postrider::cli {

OutputKind evaluated_kind(const std::vector<std::string>& keys);
// For each row with a target: keys, the target, what predict writes, and for numbers the error (target less mean) and
// whether the target is inside the interval, for classes whether the class is right; last the log-likelihood.
void write_evaluated(const TableModel& model, const Table& table,
                     const std::vector<std::string>& keys, const std::string& path);

}  // namespace postrider::cli
