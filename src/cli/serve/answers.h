// What a server answers, apart from how it travels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/serve/http_message.h"
#include "cli/serve/served_model.h"

namespace postrider::cli {

enum class BodyKind { json, csv, arrow };

struct PredictionQuery {
  BodyKind kind = BodyKind::json;
  std::string level, quantiles;               // as the client wrote them; empty: the usual ones
  std::size_t most_rows = 0, most_bytes = 0;  // of the answer, too
  bool far = false;                           // whether rows are far from all that were learned
  std::vector<std::string> names = {};        // of all that the client asked for behind the ?
};

HttpAnswer predictions(const ModelVersion& version, const std::string& body,
                       const PredictionQuery& query);

}  // namespace postrider::cli
