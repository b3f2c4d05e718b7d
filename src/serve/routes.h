// Which path asks for what.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postrider::cli {

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
