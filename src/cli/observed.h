// Rows whose target is known, as estimators and certificates take them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/data.h"
#include "postrider/audit.h"
#include "postrider/table_model.h"

namespace postrider::cli {

struct ObservedTable {
  Table table;
  std::vector<std::size_t> lines;  // of the file
  std::vector<double> inputs;      // encoded, row by row
  std::vector<double> targets;     // numbers, or class numbers
  std::size_t without_target = 0;  // rows passed over
  RepeatedRows repeated = {};      // that were learned before

  std::vector<std::size_t> labels() const { return {targets.begin(), targets.end()}; }
};

// Those of these rows whose target is known.
std::vector<std::size_t> rows_with_target(const TableModel& model, const Table& table,
                                          const std::vector<std::size_t>& rows);

// Throws Error if no row has a value of the target.
ObservedTable read_observed(const DataRequest& data, const TableModel& model);

// The certificate of one member, on these rows.
NetworkCertificate certify_member(const TableModel& model, const ObservedTable& rows,
                                  std::size_t member, const NetworkCertifyOptions& options);

}  // namespace postrider::cli
