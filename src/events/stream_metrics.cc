#include "events/stream_metrics.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <utility>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

std::string figure(const char* name, const char* type, const char* help, double value) {
  return fmt::format(
      "# HELP postrider_stream_{0} {1}\n# TYPE postrider_stream_{0} {2}\n"
      "postrider_stream_{0} {3}\n",
      name, help, type, std::isnan(value) ? "NaN" : fmt::format("{:.10g}", value));
}

// One name for each unit; while nobody knows the figure it is NaN, as Prometheus reads it.
std::string lag_metric(const StreamLag& lag) {
  switch (lag.unit) {
    case StreamLag::Unit::none:
      break;
    case StreamLag::Unit::events:
      return figure("lag_events", "gauge", "Events behind the newest.", lag.value);
    case StreamLag::Unit::seconds:
      return figure("lag_seconds", "gauge", "Age of the last event; 0 behind the newest.",
                    lag.value);
  }
  return {};
}

std::string late_metrics(const StreamFigures::Late& late) {
  const LateTargets::Counts& counts = late.counts;
  return figure("joined_total", "counter", "Late targets that found their row.",
                static_cast<double>(counts.joined)) +
         figure("unmatched_total", "counter", "Late targets for which no row waits.",
                static_cast<double>(counts.unmatched)) +
         figure("left_total", "counter", "Rows that left the window without a target.",
                static_cast<double>(counts.left)) +
         figure("waiting", "gauge", "Rows that wait for their target.",
                static_cast<double>(late.waiting));
}

}  // namespace

std::string stream_metrics(const StreamFigures& figures) {
  const RunningScore::Sums& recent = figures.score.recent();
  const auto rows = static_cast<double>(recent.rows);
  std::string out = figure("rows_total", "counter", "Rows that were predicted.",
                           static_cast<double>(figures.rows));
  out += figure("refused_total", "counter", "Events that made no sense.",
                static_cast<double>(figures.refused));
  out += figure("changes_total", "counter", "Changes and drifts that were told.",
                static_cast<double>(figures.changes));
  out +=
      figure("rows_per_second", "gauge", "Rows a second since the start.", figures.rows_per_second);
  out += figure("snapshot_age_seconds", "gauge", "Seconds since the model was saved.",
                figures.snapshot_age);
  out += figure("source_answers", "gauge", "Whether the source can be read: 1, or 0 in an outage.",
                figures.source_answers ? 1 : 0);
  out += lag_metric(figures.lag);
  if (figures.late) out += late_metrics(*figures.late);
  if (recent.rows == 0) return out;
  if (figures.score.classifies()) {
    out += figure("log_loss", "gauge", "Of the last thousand rows.", recent.first / rows);
    return out + figure("accuracy", "gauge", "Of the last thousand rows.", recent.second / rows);
  }
  out += figure("log_likelihood", "gauge", "Of the last thousand rows.", recent.first / rows);
  return out + figure("coverage", "gauge", "Share of the last thousand rows in their intervals.",
                      recent.inside / rows);
}

namespace {

constexpr std::size_t kMostRequest = 4096, kMostCallers = 64;
constexpr std::chrono::seconds kRequestPatience{2};
constexpr int kServerLookMs = 100;  // between two looks whether the program ends

std::string answer_text(const char* status, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, body.size(), body);
}

// Signals are the main thread's: it notes them between two batches.
void leave_signals_alone() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

MetricsServer::MetricsServer(int port)
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const int yes = 1;
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  socklen_t size = sizeof place;
  setsockopt(listener_.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!listener_ || bind(listener_.descriptor(), address, size) != 0 ||
      listen(listener_.descriptor(), 16) != 0 ||
      getsockname(listener_.descriptor(), address, &size) != 0)
    throw FileError(fmt::format("--metrics = {}: cannot listen there", port), std::to_string(port),
                    errno);
  port_ = ntohs(place.sin_port);
  thread_ = std::thread([this] { run(); });
}

MetricsServer::~MetricsServer() {
  ends_ = true;
  thread_.join();
}

void MetricsServer::publish(std::string text, std::string outage) {
  const std::lock_guard lock(lock_);
  text_ = std::move(text);
  outage_ = std::move(outage);
}

void MetricsServer::run() {
  leave_signals_alone();
  std::vector<Caller> callers;
  while (!ends_) {
    std::vector<pollfd> wanted{{listener_.descriptor(), POLLIN, 0}};
    for (const Caller& caller : callers)
      wanted.push_back({caller.connection.descriptor(), POLLIN, 0});
    if (poll(wanted.data(), wanted.size(), kServerLookMs) < 0) continue;
    for (std::size_t k = callers.size(); k-- > 0;)
      if (hears(callers[k], wanted[k + 1].revents != 0))
        callers.erase(callers.begin() + static_cast<std::ptrdiff_t>(k));
    if (wanted.front().revents != 0) take_callers(callers);
  }
}

void MetricsServer::take_callers(std::vector<Caller>& callers) const {
  while (true) {
    OpenFile client(
        accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client) return;
    if (callers.size() == kMostCallers) callers.erase(callers.begin());
    callers.push_back({std::move(client), std::chrono::steady_clock::now() + kRequestPatience});
  }
}

bool MetricsServer::hears(Caller& caller, bool is_readable) {
  if (!is_readable) return std::chrono::steady_clock::now() > caller.until;
  std::array<char, 1024> piece{};
  const ssize_t got = recv(caller.connection.descriptor(), piece.data(), piece.size(), 0);
  if (got <= 0) return true;
  caller.request.append(piece.data(), static_cast<std::size_t>(got));
  if (caller.request.find("\r\n\r\n") == std::string::npos && caller.request.size() < kMostRequest)
    return false;
  answer(caller);
  return true;
}

void MetricsServer::answer(const Caller& caller) {
  std::string out;
  if (caller.request.starts_with("GET /metrics ")) {
    const std::lock_guard lock(lock_);
    out = answer_text("200 OK", text_);
  } else if (caller.request.starts_with("GET /ready ")) {
    const std::lock_guard lock(lock_);
    out = outage_.empty() ? answer_text("200 OK", "ok\n")
                          : answer_text("503 Service Unavailable", outage_ + "\n");
  } else if (caller.request.starts_with("GET /live ")) {
    out = answer_text("200 OK", "ok\n");
  } else {
    out = answer_text("404 Not Found", "there are /metrics, /live and /ready\n");
  }
  // A page of a few kB fits what the system holds for a connection; whoever does not take it goes without.
  static_cast<void>(send(caller.connection.descriptor(), out.data(), out.size(), MSG_NOSIGNAL) < 0);
}

}  // namespace postrider::cli
