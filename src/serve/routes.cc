#include "serve/routes.h"

#include <utility>
#include <vector>

namespace postrider::cli {
namespace {

// "/models/a/predict" is models, a, predict.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    out.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return out;
}

std::optional<Route> plain_route(std::string_view path) {
  for (const std::string_view name :
       {"/health", "/live", "/ready", "/v2/health/live", "/v2/health/ready"})
    if (path == name) return Route{Asked::health};
  for (const auto& [name, asked] : {std::pair{"/", Asked::first},
                                    {"/metrics", Asked::metrics},
                                    {"/models", Asked::models},
                                    {"/predict", Asked::predict},
                                    {"/v2", Asked::server}})
    if (path == name) return Route{asked};
  return std::nullopt;
}

// What stands behind the name and the version.
std::optional<Asked> asked_of_model(bool is_v2, const std::string& last) {
  if (last.empty()) return is_v2 ? Asked::tensors : Asked::model;
  if (!is_v2 && last == "predict") return Asked::predict;
  if (is_v2 && last == "ready") return Asked::is_ready;
  if (is_v2 && last == "infer") return Asked::infer;
  return std::nullopt;
}

}  // namespace

const char* Route::method() const {
  return asked == Asked::predict || asked == Asked::infer ? "POST" : "GET";
}

std::optional<Route> route_of(std::string_view path) {
  if (std::optional<Route> plain = plain_route(path)) return plain;
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> parts = parts_of(path);
  const bool is_v2 = parts.front() == "v2";
  if (is_v2) parts.erase(parts.begin());
  if (parts.size() < 2 || parts[0] != "models" || parts[1].empty()) return std::nullopt;
  Route out{Asked::model, parts[1]};
  std::size_t at = 2;
  if (parts.size() >= 4 && parts[2] == "versions") {
    out.version = parts[3];
    at = 4;
  }
  if (parts.size() > at + 1) return std::nullopt;
  const std::optional<Asked> asked =
      asked_of_model(is_v2, parts.size() > at ? parts[at] : std::string());
  if (!asked) return std::nullopt;
  out.asked = *asked;
  return out;
}

}  // namespace postrider::cli
