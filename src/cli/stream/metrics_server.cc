#include "cli/stream/metrics_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kMostRequest = 4096;
constexpr std::chrono::seconds kRequestPatience{2};
constexpr int kServerLookMs = 100;  // between two looks whether the program ends

bool is_readable(int descriptor) {
  pollfd wanted{descriptor, POLLIN, 0};
  return poll(&wanted, 1, kServerLookMs) > 0;
}

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

void MetricsServer::publish(std::string text) {
  const std::lock_guard lock(lock_);
  text_ = std::move(text);
}

void MetricsServer::run() {
  leave_signals_alone();
  while (!ends_) {
    if (!is_readable(listener_.descriptor())) continue;
    const OpenFile client(
        accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) answer(client.descriptor());
  }
}

void MetricsServer::answer(int descriptor) {
  std::string request;
  std::array<char, 1024> piece{};
  const auto until = std::chrono::steady_clock::now() + kRequestPatience;
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < kMostRequest) {
    if (ends_ || std::chrono::steady_clock::now() > until) return;
    if (!is_readable(descriptor)) continue;
    const ssize_t got = recv(descriptor, piece.data(), piece.size(), 0);
    if (got <= 0) return;
    request.append(piece.data(), static_cast<std::size_t>(got));
  }
  std::string out;
  if (request.starts_with("GET /metrics ")) {
    const std::lock_guard lock(lock_);
    out = answer_text("200 OK", text_);
  } else if (request.starts_with("GET /live ") || request.starts_with("GET /ready ")) {
    out = answer_text("200 OK", "ok\n");
  } else {
    out = answer_text("404 Not Found", "there are /metrics, /live and /ready\n");
  }
  // A page of a few kB fits what the system holds for a connection; whoever does not take it goes without.
  static_cast<void>(send(descriptor, out.data(), out.size(), MSG_NOSIGNAL) < 0);
}

}  // namespace postrider::cli
