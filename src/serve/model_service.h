// What a server answers to which path.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "serve/answers.h"
#include "serve/bearer_tokens.h"
#include "serve/http_server.h"
#include "serve/request_log.h"
#include "serve/served_model.h"

namespace postrider::cli {

struct ServiceOptions {
  std::size_t most_rows = 10'000, most_bytes = 16 << 20;
  std::vector<std::string> hosts =
      {};  // names that the server goes by, besides addresses and localhost
};

class ModelService final : public HttpService {
 public:
  ModelService(ServiceOptions options, const ModelRegistry& models, const BearerTokens& tokens,
               RequestMetrics& metrics, RequestLog& log);

  std::optional<HttpAnswer> answer_at_once(const HttpRequest& request,
                                           const HttpLoad& load) override;
  std::vector<HttpAnswer> answer(const std::vector<HttpRequest>& requests) override;
  void note(const HttpRequest& request, const HttpAnswer& answer) override;

 private:
  std::optional<HttpAnswer> problem_of(const HttpRequest& request,
                                       const std::optional<Route>& route) const;
  HttpAnswer metrics_text(const HttpLoad& load) const;
  std::string models_json() const;
  PredictionQuery query_of(const HttpRequest& request, const Route& route,
                           const ServedModel& model) const;
  ServedModel* model_of(const Route& route) const;

  ServiceOptions options_;
  const ModelRegistry& models_;
  const BearerTokens& tokens_;
  RequestMetrics& metrics_;
  RequestLog& log_;
};

}  // namespace postrider::cli
