// The profile of a table, and which rows were learned, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "postrider/monitor.h"

namespace postrider::internal {

nlohmann::ordered_json profile_json(const TableProfile& profile,
                                    const std::vector<RowDigest>& learned);
// Throws json_reading::Malformed if it makes no sense, or is not of this schema.
void read_profile(const nlohmann::ordered_json& json, const Schema& schema, TableProfile& profile,
                  std::vector<RowDigest>& learned);

}  // namespace postrider::internal
