#include "serve/http_server.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <utility>
// Boost's headers need <utility> before them.
#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "postrider/error.h"
#include "serve/http_connection.h"
#include "serve/work_queue.h"

namespace postrider::cli {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = HttpConnection::Clock;
using Stage = HttpConnection::Stage;

constexpr auto kGlance = std::chrono::milliseconds(50);
constexpr std::size_t kDescriptorsForOthers = 32;  // files, a model that is loaded
constexpr std::size_t kFree = 32 << 10;            // bytes that every connection may hold
constexpr auto kIdleBonus = std::chrono::seconds(2);

tcp::endpoint endpoint_of(asio::io_context& io, const std::string& host, int port) {
  error_code code;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, code);
  if (code || found.empty())
    throw FileError(
        fmt::format("cannot listen on {}:{}: the address is not one of this machine", host, port),
        host, 0);
  return found.begin()->endpoint();
}

// As many as the system lets the process have.
std::size_t possible_connections(std::size_t wanted) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return wanted;
  const std::size_t most = files.rlim_cur > 2 * kDescriptorsForOthers
                               ? files.rlim_cur - kDescriptorsForOthers
                               : std::max<std::size_t>(1, files.rlim_cur / 2);
  return std::min(wanted, most);
}

}  // namespace

class HttpServer::Core : public ConnectionHost {
 public:
  Core(const std::string& host, int port, const HttpLimits& limits, HttpService& service)
      : limits_(limits),
        service_(service),
        acceptor_(io_),
        timer_(io_),
        most_held_(2 * limits.most_bytes),
        prefix_(std::random_device()()) {
    limits_.connections = possible_connections(limits.connections);
    listen(host, port);
    // Half of all connections may wait for a worker: the others can be closed to let new ones in.
    queue_ = std::make_unique<WorkQueue>(
        limits_.workers, std::max<std::size_t>(1, limits_.connections / 2),
        [this](const std::vector<HttpRequest>& requests) { return service_.answer(requests); });
  }

  int port() const { return acceptor_.local_endpoint().port(); }

  void run(const std::function<bool()>& is_to_end) {
    is_to_end_ = is_to_end;
    accept();
    glance();
    while (!io_.stopped()) {
      try {
        io_.run();
        break;
      } catch (...) {  // of our own handlers, such as no memory: the next one is called
      }
    }
    queue_->end();
  }

  const HttpLimits& limits() const override { return limits_; }
  HttpService& service() override { return service_; }
  std::string next_id() override { return fmt::format("{:08x}-{}", prefix_, ++requests_); }
  bool is_ending() const override { return is_ending_; }
  HttpLoad load() const override { return {connections_.size(), queue_->waiting(), dropped_}; }

  bool make_room(HttpConnection& connection) override {
    if (connection.held() <= kFree) return true;
    while (held() > most_held_) {
      const auto slowest = slowest_of([&](const HttpConnection& one) {
        return one.held() > kFree && (one.stage() == Stage::body || one.stage() == Stage::writing);
      });
      if (!slowest || slowest.get() == &connection) return false;
      drop(*slowest);
    }
    return true;
  }

  bool begin_work(const std::shared_ptr<HttpConnection>& connection, HttpRequest request) override {
    return queue_->add({std::move(request), [this, connection](HttpAnswer answer) {
                          asio::post(io_, [connection, answer = std::move(answer)]() mutable {
                            try {
                              connection->finish(std::move(answer));
                            } catch (...) {
                              connection->close();
                            }
                          });
                        }});
  }

 private:
  void listen(const std::string& host, int port) {
    const tcp::endpoint endpoint = endpoint_of(io_, host, port);
    error_code code;
    acceptor_.open(endpoint.protocol(), code);
    // Not SO_REUSEPORT, by which two servers would share a port and nobody would be told.
    if (!code) acceptor_.set_option(tcp::acceptor::reuse_address(true), code);
    if (!code) acceptor_.bind(endpoint, code);
    if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
    if (code)
      throw FileError(fmt::format("cannot listen on {}:{}: {}", host, port, code.message()), host,
                      code.value());
  }

  void accept() {
    acceptor_.async_accept([this](error_code code, tcp::socket socket) {
      is_accepting_ = false;
      if (is_ending_ || !acceptor_.is_open()) return;
      if (code) {  // such as no descriptor: one is made free, and the next glance accepts again
        if (const auto slowest = slowest_of(&can_be_dropped)) drop(*slowest);
        return;
      }
      try {
        admit(std::move(socket));
      } catch (...) {  // no memory for one more
      }
      accept();
    });
    is_accepting_ = true;
  }

  void admit(tcp::socket socket) {
    if (connections_.size() >= limits_.connections) {
      forget_closed();
      if (connections_.size() >= limits_.connections)
        if (const auto slowest = slowest_of(&can_be_dropped)) drop(*slowest);
    }
    const auto connection = std::make_shared<HttpConnection>(std::move(socket), *this);
    connections_.insert(connection);
    connection->start();
  }

  static bool can_be_dropped(const HttpConnection& one) {
    return one.stage() != Stage::working && one.stage() != Stage::closed;
  }

  // Whose stage began first. One between two requests may be an honest client's: it counts as younger.
  template <class Choice>
  std::shared_ptr<HttpConnection> slowest_of(const Choice& choice) const {
    std::shared_ptr<HttpConnection> out;
    Clock::time_point earliest = Clock::time_point::max();
    for (const auto& one : connections_) {
      const auto since = one->since() + (one->stage() == Stage::idle ? kIdleBonus : kGlance * 0);
      if (!choice(*one) || since >= earliest) continue;
      out = one;
      earliest = since;
    }
    return out;
  }

  void drop(HttpConnection& connection) {
    ++dropped_;
    connection.close();
    forget_closed();
  }

  void forget_closed() {
    for (auto at = connections_.begin(); at != connections_.end();)
      at = (*at)->stage() == Stage::closed ? connections_.erase(at) : std::next(at);
  }

  std::size_t held() const {
    std::size_t out = 0;
    for (const auto& one : connections_)
      if (one->held() > kFree) out += one->held();
    return out;
  }

  void glance() {
    timer_.expires_after(kGlance);
    timer_.async_wait([this](error_code) {
      try {
        look();
      } catch (...) {  // no memory: the next glance tries again
      }
      if (is_ending_ && (connections_.empty() || Clock::now() > end_)) {
        for (const auto& one : connections_) one->close();
        return io_.stop();
      }
      glance();
    });
  }

  void look() {
    if (!is_ending_ && is_to_end_()) {
      is_ending_ = true;
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(limits_.grace_seconds));
      error_code ignored;
      acceptor_.close(ignored);
    }
    if (!is_ending_ && !is_accepting_) accept();
    const Clock::time_point now = Clock::now();
    // A copy, since answers can drop other connections.
    for (const auto& one : std::vector(connections_.begin(), connections_.end())) {
      if (is_ending_ && !one->has_begun()) one->close();
      if (one->is_late(now)) one->give_up();
    }
    forget_closed();
  }

  HttpLimits limits_;
  HttpService& service_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  std::set<std::shared_ptr<HttpConnection>> connections_;
  std::unique_ptr<WorkQueue> queue_;
  std::function<bool()> is_to_end_;
  std::size_t most_held_;
  std::uint64_t requests_ = 0, dropped_ = 0;
  unsigned prefix_;  // tells the requests of one run from those of the next
  bool is_ending_ = false, is_accepting_ = false;
  Clock::time_point end_;
};

HttpServer::HttpServer(const std::string& host, int port, const HttpLimits& limits,
                       HttpService& service)
    : core_(std::make_unique<Core>(host, port, limits, service)) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return core_->port(); }
void HttpServer::run(const std::function<bool()>& is_to_end) { core_->run(is_to_end); }

}  // namespace postrider::cli
