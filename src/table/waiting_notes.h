// Rows that wait for their target, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "postrider/table_model.h"

namespace postrider::internal {

nlohmann::ordered_json waiting_json(const WaitingRows& waiting);
// Throws json_reading::Malformed if it makes no sense, InvalidArgument if a cell is not of this schema.
WaitingRows read_waiting(const nlohmann::ordered_json& json, const Schema& schema);

}  // namespace postrider::internal
