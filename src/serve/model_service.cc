#include "serve/model_service.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "io/drift_metrics.h"
#include "postrider/version.h"
#include "text/json_text.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

BodyKind kind_of(const std::string& content_type) {
  if (content_type.starts_with("text/csv")) return BodyKind::csv;
  const bool is_arrow = content_type.starts_with("application/vnd.apache.arrow.");
  return is_arrow ? BodyKind::arrow : BodyKind::json;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string gauge(const char* name, const char* help, std::uint64_t value,
                  const char* type = "gauge") {
  return fmt::format("# HELP postrider_{0} {1}\n# TYPE postrider_{0} {3}\npostrider_{0} {2}\n",
                     name, help, value, type);
}

}  // namespace

ModelService::ModelService(ServiceOptions options, const ModelRegistry& models,
                           const BearerTokens& tokens, RequestMetrics& metrics, RequestLog& log)
    : options_(std::move(options)),
      models_(models),
      tokens_(tokens),
      metrics_(metrics),
      log_(log) {}

ServedModel* ModelService::model_of(const Route& route) const {
  return route.model.empty() ? &models_.first() : models_.find(route.model, route.version);
}

// What is refused by the head alone.
std::optional<HttpAnswer> ModelService::problem_of(const HttpRequest& request,
                                                   const std::optional<Route>& route) const {
  if (request.host && !is_own_host(*request.host, options_.hosts))
    return refusal(421, "Host: " + *request.host +
                            ": the server does not go by this name; --allow-host adds it");
  const bool is_for_all = route && route->asked == Asked::health;
  if (!is_for_all && !tokens_.accept(request.authorization)) {
    HttpAnswer out = refusal(401, "needs Authorization: Bearer and a token that the server knows");
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
    return out;
  }
  if (!route) return refusal(404, "there is no " + request.path + "; there are " + kPaths);
  const std::string method = route->method();
  if (request.method != method && !(request.method == "HEAD" && method == "GET")) {
    HttpAnswer out =
        refusal(405, request.path + " does not take " + request.method + "; it takes " + method);
    out.headers.emplace_back("Allow", method);
    return out;
  }
  if (model_of(*route) == nullptr)
    return refusal(404, "there is no model " + route->model +
                            (route->version.empty() ? "" : ", version " + route->version) +
                            "; GET /models lists them");
  if (!request.content_encoding.empty() && request.content_encoding != "identity")
    return refusal(415, "Content-Encoding: " + request.content_encoding +
                            ": must be identity; the body is taken as it is");
  if (request.content_type.starts_with("multipart/"))
    return refusal(400,
                   "must be rows as JSON, or as CSV with Content-Type: text/csv; a form is not "
                   "accepted");
  return std::nullopt;
}

std::optional<HttpAnswer> ModelService::answer_at_once(const HttpRequest& request,
                                                       const HttpLoad& load) {
  const std::optional<Route> route = route_of(request.path);
  if (std::optional<HttpAnswer> problem = problem_of(request, route)) return problem;
  const ServedModel& model = *model_of(*route);
  switch (route->asked) {
    case Asked::predict:
    case Asked::infer:
      return std::nullopt;
    case Asked::metrics:
      return metrics_text(load);
    case Asked::models:
      return HttpAnswer{200, models_json()};
    case Asked::first:
    case Asked::model:
      return HttpAnswer{200, model.now()->description()};
    case Asked::server:
      return HttpAnswer{200, json_line({{"name", 0, "postrider"}, {"version", 0, kVersion}})};
    case Asked::tensors:
      return HttpAnswer{
          200, model.now()->tensors(model.place().name, models_.versions_of(model.place().name))};
    case Asked::health:
    case Asked::is_ready:
      break;
  }
  return HttpAnswer{200, "{\"status\":\"ok\"}\n"};
}

HttpAnswer ModelService::metrics_text(const HttpLoad& load) const {
  std::vector<ModelDrift> drift;
  for (const auto& model : models_.all())
    drift.push_back({models_.all().size() == 1
                         ? ""
                         : fmt::format("model=\"{}\",version=\"{}\"", model->place().name,
                                       model->place().version),
                     model->now()->drift()});
  return {200,
          metrics_.text() + gauge("connections", "Connections that are open.", load.connections) +
              gauge("waiting_requests", "Requests that wait for a worker.", load.waiting) +
              gauge("dropped_connections_total", "Slow connections closed to make room.",
                    load.dropped, "counter") +
              drift_metrics(drift),
          "text/plain; version=0.0.4"};
}

std::string ModelService::models_json() const {
  std::string out;
  for (const auto& model : models_.all()) {
    out += out.empty() ? "" : ",";
    out += json_line({{"name", 0, model->place().name}, {"version", 0, model->place().version}});
    out.pop_back();  // its end
  }
  return "{\"models\":[" + out + "]}\n";
}

PredictionQuery ModelService::query_of(const HttpRequest& request, const Route& route,
                                       const ServedModel& model) const {
  PredictionQuery out;
  out.kind = route.asked == Asked::infer ? BodyKind::tensors : kind_of(request.content_type);
  out.level = request.asked("level").value_or("");
  out.quantiles = request.asked("quantiles").value_or("");
  out.far = request.asked("far").value_or("0") != "0";
  out.explain = request.asked("explain").value_or("0") != "0";
  out.most_rows = options_.most_rows;
  out.most_bytes = options_.most_bytes;
  for (const auto& [name, value] : request.query) out.names.push_back(name);
  out.model = model.place().name;
  out.version = model.place().version;
  return out;
}

std::vector<HttpAnswer> ModelService::answer(const std::vector<HttpRequest>& requests) {
  const Clock::time_point begin = Clock::now();
  const std::optional<Route> route = route_of(requests.front().path);
  const ServedModel& model = *model_of(*route);
  std::vector<const std::string*> bodies;
  for (const HttpRequest& request : requests) bodies.push_back(&request.body);
  std::vector<HttpAnswer> out =
      model.now()->predict(bodies, query_of(requests.front(), *route, model));
  const double seconds = seconds_since(begin);  // for each, since each waited for all
  for (HttpAnswer& answer : out) {
    metrics_.add(answer.status, answer.rows, seconds);
    answer.is_counted = true;
  }
  return out;
}

void ModelService::note(const HttpRequest& request, const HttpAnswer& answer) {
  log_.add(request, answer);
  // Refused before a model saw it: by its head, its size, or the time that it took.
  if (!answer.is_counted && request.method == "POST" && answer.status >= 400)
    metrics_.add_refusal(answer.status);
}

}  // namespace postrider::cli
