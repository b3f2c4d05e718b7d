#include "serve/serve.h"

#ifdef POSTRIDER_HAS_HTTP
#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>
#include <utility>

#include "postrider/error.h"
#include "serve/http_server.h"
#include "serve/model_service.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kGlance = std::chrono::milliseconds(50);  // between two looks whether it is over

// New versions of the files, loaded beside the requests.
class ModelKeeper {
 public:
  ModelKeeper(const ServeRequest& request, const ModelRegistry& models, BearerTokens& tokens,
              RequestMetrics& metrics, RequestLog& log, std::function<bool()> should_look)
      : request_(request),
        models_(models),
        tokens_(tokens),
        metrics_(metrics),
        log_(log),
        should_look_(std::move(should_look)),
        thread_([this] { keep(); }) {}
  ~ModelKeeper() {
    is_over_ = true;
    thread_.join();
    log_.tell_left_out();
  }
  ModelKeeper(const ModelKeeper&) = delete;
  ModelKeeper& operator=(const ModelKeeper&) = delete;

 private:
  void keep() {
    Clock::time_point looked = Clock::now();
    while (!is_over_) {
      std::this_thread::sleep_for(kGlance);
      const bool is_asked = should_look_();
      if (is_asked) {
        last_failure_.clear();  // whoever asks wants to hear it again
        log_.tell("SIGHUP: looking for new models and tokens", false);
      }
      if (!is_asked &&
          std::chrono::duration<double>(Clock::now() - looked).count() < request_.watch_seconds)
        continue;
      looked = Clock::now();
      log_.tell_left_out();
      try {
        for (const auto& model : models_.all())
          if (model->is_outdated()) renew(*model);
        std::string why;
        if (!tokens_.refresh(why)) tell_once("the tokens stay as they were: ", why);
      } catch (const std::exception& error) {  // such as no memory: the model stays
        log_.tell(std::string("the model stays as it was: ") + error.what(), true);
      }
    }
  }

  void renew(ServedModel& model) {
    std::string why;
    const bool succeeded = model.refresh(why);
    if (!succeeded && !tell_once("the model stays as it was: ", why)) return;
    metrics_.add_reload(succeeded);
    if (succeeded) log_.tell("loaded " + model.place().path + " again", false);
  }

  // A file that cannot be loaded is told of once, not each second.
  bool tell_once(const char* what, const std::string& why) {
    if (why == last_failure_) return false;
    log_.tell(what + why, true);
    last_failure_ = why;
    return true;
  }

  const ServeRequest& request_;
  const ModelRegistry& models_;
  BearerTokens& tokens_;
  RequestMetrics& metrics_;
  RequestLog& log_;
  std::function<bool()> should_look_;
  std::string last_failure_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

std::string named(const std::vector<std::string>& models) {
  std::string out;
  for (const std::string& model : models) out += (out.empty() ? "" : ", ") + model;
  return out;
}

HttpLimits limits_of(const ServeRequest& request) {
  HttpLimits out;
  out.connections = request.connections;
  out.most_bytes = request.most_bytes;
  out.travel_seconds = request.most_seconds;
  out.head_seconds = std::min(out.head_seconds, request.most_seconds);
  out.grace_seconds = request.grace_seconds;
  out.workers = 1 + std::max<std::size_t>(1, std::thread::hardware_concurrency());
  return out;
}

void expect_possible(const ServeRequest& request) {
  if (request.port < 0 || request.port > 65535)
    reject("--port", request.port, "must be from 0 to 65535; 0 takes one that is free");
  if (request.connections == 0) reject("--connections", request.connections, "must be at least 1");
  if (request.most_bytes == 0) reject("--most-bytes", request.most_bytes, "must be at least 1");
  if (!(request.watch_seconds > 0))
    reject("--watch-seconds", request.watch_seconds, "must be above 0");
  if (!(request.most_seconds > 0))
    reject("--most-seconds", request.most_seconds, "must be above 0");
  if (!(request.grace_seconds >= 0))
    reject("--grace-seconds", request.grace_seconds, "must be at least 0");
}

// Large bodies and answers go back to the system when they are done with; glibc would otherwise raise the size from which
// it does so, and keep them.
void return_large_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

}  // namespace

void serve_models(const ServeRequest& request, const ServeQuestions& questions) {
  expect_possible(request);
  return_large_memory();
  std::signal(SIGPIPE, SIG_IGN);  // whoever read what is printed may be gone
  const ModelRegistry models(request.models, request.any_model);
  BearerTokens tokens(request.tokens);
  RequestMetrics metrics;
  RequestLog log(request.quiet);
  ServiceOptions options{request.most_rows, request.most_bytes, request.hosts};
  options.hosts.push_back(request.host);
  ModelService service(options, models, tokens, metrics, log);
  HttpServer server(request.host, request.port, limits_of(request), service);
  if (!request.quiet)
    std::cout << fmt::format("{} on http://{}:{}: POST /predict, GET / /live /ready /metrics\n",
                             named(request.models), request.host, server.port())
              << std::flush;
  const ModelKeeper keeper(request, models, tokens, metrics, log, questions.should_look);
  server.run(questions.should_end);
}

}  // namespace postrider::cli

#else
#include "postrider/error.h"

namespace postrider::cli {

void serve_models(const ServeRequest&, const ServeQuestions&) {
  throw InvalidArgument(
      "serve: needs a program that was built with Boost.Beast (Debian: libboost-dev)");
}

}  // namespace postrider::cli

#endif
