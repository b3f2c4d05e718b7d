// Predictions of rows that come as JSON, CSV, Arrow or tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "serve/http_message.h"
#include "serve/table_version.h"

namespace postrider::cli {

HttpAnswer predictions(const TableVersion& version, const std::string& body,
                       const PredictionQuery& query);
// JSON bodies that ask for the same, predicted as one table. None if one of them makes no sense: then each is to be
// answered by itself.
std::optional<std::vector<HttpAnswer>> predictions_together(
    const TableVersion& version, const std::vector<const std::string*>& bodies,
    const PredictionQuery& query);

// Readers of text would decode such a body, whatever its size then is.
bool is_compressed(const std::string& body);
inline constexpr const char* kCompressed = "the body is compressed; it is taken as it is";

}  // namespace postrider::cli
