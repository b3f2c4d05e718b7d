// The profile of a table, and which rows were learned, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "postrider/monitor.h"
#include "postrider/table_model.h"

namespace postrider::internal {

nlohmann::ordered_json profile_json(const TableProfile& profile,
                                    const std::vector<RowMonitor::Digest>& learned);
// Throws json_reading::Malformed if it makes no sense, or is not of this schema.
void read_profile(const nlohmann::ordered_json& json, const Schema& schema, TableProfile& profile,
                  std::vector<RowMonitor::Digest>& learned);

// --- Rows that wait for their target, as JSON.

nlohmann::ordered_json waiting_json(const TableModel::Waiting& waiting);
// Throws json_reading::Malformed if it makes no sense, InvalidArgument if a cell is not of this schema.
TableModel::Waiting read_waiting(const nlohmann::ordered_json& json, const Schema& schema);

}  // namespace postrider::internal
