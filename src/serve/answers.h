// Predictions of rows that come as JSON, CSV, Arrow or tensors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_message.h"
#include "serve/model_versions.h"

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

// --- Which path asks for what.

enum class Asked {
  health,    // /live, /ready, /health, /v2/health/live, /v2/health/ready
  metrics,   // /metrics
  first,     // /
  models,    // /models
  model,     // /models/NAME
  predict,   // /predict, /models/NAME/predict
  server,    // /v2
  tensors,   // /v2/models/NAME
  is_ready,  // /v2/models/NAME/ready
  infer,     // /v2/models/NAME/infer
};

// With /versions/VERSION after NAME where it matters.
struct Route {
  Asked asked;
  std::string model = {}, version = {};  // empty: the first model; the last version

  const char* method() const;
};

std::optional<Route> route_of(std::string_view path);

// For whoever asks for something else.
inline constexpr const char* kPaths =
    "POST /predict, /models/NAME/predict, /v2/models/NAME/infer and GET /, /models, /health, "
    "/live, "
    "/ready, /metrics, /v2";

}  // namespace postrider::cli
