// What a server answers, apart from how it travels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/serve/served_model.h"

namespace postrider::cli {

struct Answer {
  int status = 200;
  std::string body = {};  // JSON
  std::size_t rows = 0;   // that were predicted
};

enum class BodyKind { json, csv, arrow };

struct PredictionQuery {
  std::string body;
  BodyKind kind = BodyKind::json;
  std::string level, quantiles;  // as the client wrote them; empty: the usual ones
  std::size_t most_rows = 0;
  bool far = false;                     // whether rows are far from all that were learned
  std::vector<std::string> names = {};  // of all that the client asked for behind the ?
};

Answer predictions(const ModelVersion& version, const PredictionQuery& query);
// Which columns it takes, and what it predicts.
std::string description(const ModelVersion& version);
std::string error_body(const std::string& message);

}  // namespace postrider::cli
