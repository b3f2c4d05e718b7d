#include "cli/serve/model_service.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <utility>

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

const std::map<std::string, std::string> kMethods{{"/", "GET"},        {"/health", "GET"},
                                                  {"/live", "GET"},    {"/ready", "GET"},
                                                  {"/metrics", "GET"}, {"/predict", "POST"}};
constexpr const char* kPaths = "POST /predict and GET /, /health, /live, /ready, /metrics";

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

ModelService::ModelService(ServiceOptions options, ServedModel& model, RequestMetrics& metrics,
                           RequestLog& log)
    : options_(std::move(options)), model_(model), metrics_(metrics), log_(log) {}

// What is refused by the head alone.
std::optional<HttpAnswer> ModelService::problem_of(const HttpRequest& request) const {
  if (request.host && !is_own_host(*request.host, options_.hosts))
    return refusal(421, "Host: " + *request.host +
                            ": the server does not go by this name; --allow-host adds it");
  const auto known = kMethods.find(request.path);
  if (known == kMethods.end())
    return refusal(404, "there is no " + request.path + "; there are " + kPaths);
  const bool is_head = request.method == "HEAD" && known->second == "GET";
  if (request.method != known->second && !is_head) {
    HttpAnswer out = refusal(
        405, request.path + " does not take " + request.method + "; it takes " + known->second);
    out.headers.emplace_back("Allow", known->second);
    return out;
  }
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
  if (std::optional<HttpAnswer> problem = problem_of(request)) return problem;
  if (request.path == "/predict") return std::nullopt;
  if (request.path == "/metrics") return metrics_text(load);
  if (request.path == "/") return HttpAnswer{200, model_.now()->description()};
  return HttpAnswer{200, "{\"status\":\"ok\"}\n"};
}

HttpAnswer ModelService::metrics_text(const HttpLoad& load) const {
  return {200,
          metrics_.text() + gauge("connections", "Connections that are open.", load.connections) +
              gauge("waiting_requests", "Requests that wait for a worker.", load.waiting) +
              gauge("dropped_connections_total", "Slow connections closed to make room.",
                    load.dropped, "counter") +
              model_.now()->drift().metrics(),
          "text/plain; version=0.0.4"};
}

PredictionQuery ModelService::query_of(const HttpRequest& request) const {
  PredictionQuery out;
  out.kind = kind_of(request.content_type);
  out.level = request.asked("level").value_or("");
  out.quantiles = request.asked("quantiles").value_or("");
  out.far = request.asked("far").value_or("0") != "0";
  out.most_rows = options_.most_rows;
  out.most_bytes = options_.most_bytes;
  for (const auto& [name, value] : request.query) out.names.push_back(name);
  return out;
}

std::vector<HttpAnswer> ModelService::answer(const std::vector<HttpRequest>& requests) {
  const std::shared_ptr<const ModelVersion> version = model_.now();
  std::vector<HttpAnswer> out;
  for (const HttpRequest& request : requests) {
    const Clock::time_point begin = Clock::now();
    out.push_back(predictions(*version, request.body, query_of(request)));
    metrics_.add(out.back().status, out.back().rows, seconds_since(begin));
  }
  return out;
}

void ModelService::note(const HttpRequest& request, const HttpAnswer& answer) {
  log_.add(request, answer);
}

}  // namespace postrider::cli
