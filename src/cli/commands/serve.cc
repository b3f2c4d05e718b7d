#include "cli/commands/serve.h"

#ifdef POSTRIDER_HAS_HTTP
#include <fmt/format.h>
#include <httplib.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <thread>
#include <utility>

#include "cli/interrupt.h"
#include "cli/serve/answers.h"
#include "cli/serve/request_metrics.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kJson = "application/json";
const std::map<std::string, std::string> kMethods{
    {"/", "GET"}, {"/health", "GET"}, {"/metrics", "GET"}, {"/predict", "POST"}};
constexpr auto kGlance = std::chrono::milliseconds(50);  // between two looks for a signal

BodyKind kind_of(const std::string& content_type) {
  if (content_type.starts_with("text/csv")) return BodyKind::csv;
  const bool is_arrow = content_type.starts_with("application/vnd.apache.arrow.");
  return is_arrow ? BodyKind::arrow : BodyKind::json;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Server {
 public:
  explicit Server(const ServeRequest& request) : request_(request), model_(request.model) {
    server_.new_task_queue = [this] { return new httplib::ThreadPool(request_.connections); };
    server_.set_payload_max_length(request.most_bytes);
    server_.set_keep_alive_max_count(std::numeric_limits<std::size_t>::max());
    server_.set_tcp_nodelay(true);
    // Not SO_REUSEPORT, by which two servers would share a port and nobody would be told.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // The body is read here: the library takes one without a type for a form, which may have 8 kB.
    server_.Post("/predict", [this](const httplib::Request& asked, httplib::Response& answer,
                                    const httplib::ContentReader& read) {
      std::string body;
      const bool is_whole =
          !asked.is_multipart_form_data() && read([&](const char* data, std::size_t size) {
            body.append(data, size);
            return true;
          });
      if (is_whole) return predict(asked, std::move(body), answer);
      if (answer.status == 413) return;  // the error handler tells why
      answer.status = 400;
      answer.set_content(error_body(asked.is_multipart_form_data()
                                        ? "must be rows as JSON, or as CSV with Content-Type: "
                                          "text/csv; a form is not accepted"
                                        : "the body ended early"),
                         kJson);
    });
    server_.Get("/", [this](const httplib::Request&, httplib::Response& answer) {
      answer.set_content(description(*model_.now()), kJson);
    });
    server_.Get("/health", [](const httplib::Request&, httplib::Response& answer) {
      answer.set_content("{\"status\":\"ok\"}\n", kJson);
    });
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& answer) {
      answer.set_content(metrics_.text() + model_.now()->drift().metrics(),
                         "text/plain; version=0.0.4");
    });
    server_.set_exception_handler(
        [](const httplib::Request&, httplib::Response& answer, std::exception_ptr) {
          answer.status = 500;
          answer.set_content(error_body("the server failed"), kJson);
        });
    server_.set_error_handler([](const httplib::Request& asked, httplib::Response& answer) {
      if (answer.status == 404 && kMethods.contains(asked.path)) {
        answer.status = 405;
        answer.set_header("Allow", kMethods.at(asked.path));
      }
      if (answer.body.empty()) answer.set_content(error_body(reason(asked, answer.status)), kJson);
    });
  }

  // Until a signal comes. Requests that have begun are answered.
  void run(const InterruptWatch& watch) {
    const int port = bound_port();
    if (!request_.quiet)
      std::cout << fmt::format("{} on http://{}:{}: POST /predict, GET / /health /metrics\n",
                               request_.model, request_.host, port)
                << std::flush;
    std::thread watcher([&] { look_after(watch); });
    server_.listen_after_bind();
    is_over_ = true;
    watcher.join();
  }

 private:
  static std::string reason(const httplib::Request& asked, int status) {
    if (status == 404)
      return "there is no " + asked.path + "; there are POST /predict and GET /, /health, /metrics";
    if (status == 405)
      return asked.path + " does not take " + asked.method + "; it takes " +
             kMethods.at(asked.path);
    if (status == 413)
      return "the request is too large; the server's --most-bytes says how large it may be";
    return "the request makes no sense";
  }

  int bound_port() {
    errno = 0;
    const int port = request_.port == 0 ? server_.bind_to_any_port(request_.host)
                     : server_.bind_to_port(request_.host, request_.port) ? request_.port
                                                                          : -1;
    if (port < 0)
      throw FileError(
          fmt::format("cannot listen on {}:{}: {}", request_.host, request_.port,
                      errno == 0 ? "the address is not one of this machine" : std::strerror(errno)),
          request_.host, errno);
    return port;
  }

  void predict(const httplib::Request& asked, std::string body, httplib::Response& to) {
    const Clock::time_point begin = Clock::now();
    PredictionQuery query{std::move(body),
                          kind_of(asked.get_header_value("Content-Type")),
                          asked.get_param_value("level"),
                          asked.get_param_value("quantiles"),
                          request_.most_rows,
                          asked.has_param("far") && asked.get_param_value("far") != "0"};
    for (const auto& [name, value] : asked.params) query.names.push_back(name);
    Answer answer = predictions(*model_.now(), query);
    to.status = answer.status;
    to.set_content(std::move(answer.body), kJson);
    metrics_.add(answer.status, answer.rows, seconds_since(begin));
  }

  // Signals, and new versions of the file.
  void look_after(const InterruptWatch& watch) {
    Clock::time_point looked = Clock::now();
    while (!is_over_ && !watch.interrupted()) {
      std::this_thread::sleep_for(kGlance);
      if (seconds_since(looked) < request_.watch_seconds) continue;
      looked = Clock::now();
      if (!model_.is_outdated()) continue;
      std::string why;
      const bool succeeded = model_.refresh(why);
      // A file that cannot be loaded is told of once, not each second.
      if (succeeded || why != last_failure_) {
        metrics_.add_reload(succeeded);
        if (!request_.quiet)
          (succeeded ? std::cout : std::cerr) << (succeeded ? "loaded " + request_.model + " again"
                                                            : "the model stays as it was: " + why)
                                              << std::endl;
      }
      last_failure_ = why;
    }
    server_.stop();
  }

  const ServeRequest& request_;
  ServedModel model_;
  RequestMetrics metrics_;
  httplib::Server server_;
  std::atomic<bool> is_over_{false};
  std::string last_failure_;
};

}  // namespace

ExitCode serve(const ServeRequest& request) {
  if (request.port < 0 || request.port > 65535)
    reject("--port", request.port, "must be from 0 to 65535; 0 takes one that is free");
  if (request.connections == 0) reject("--connections", request.connections, "must be at least 1");
  if (!(request.watch_seconds > 0))
    reject("--watch-seconds", request.watch_seconds, "must be above 0");
  const InterruptWatch watch;
  Server server(request);
  server.run(watch);
  return watch.exit_code();
}

}  // namespace postrider::cli

#else
#include "postrider/error.h"

namespace postrider::cli {

ExitCode serve(const ServeRequest&) {
  throw InvalidArgument(
      "serve: needs a program that was built with cpp-httplib (Debian: libcpp-httplib-dev)");
}

}  // namespace postrider::cli

#endif
