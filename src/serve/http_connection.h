// One client's connection: requests are read, bounded while their bytes arrive, and answered in their order. All of it
// happens on the server's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
// Boost's headers need <utility> before them.
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <string>

#include "serve/http_message.h"
#include "serve/http_server.h"

namespace postrider::cli {

class HttpConnection;

// What connections share.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual const HttpLimits& limits() const = 0;
  virtual HttpService& service() = 0;
  virtual std::string next_id() = 0;
  virtual bool is_ending() const = 0;
  virtual HttpLoad load() const = 0;
  // Whether this connection may hold what it holds now; others that are slow make room.
  virtual bool make_room(HttpConnection& connection) = 0;
  // false: too many requests wait already.
  virtual bool begin_work(const std::shared_ptr<HttpConnection>& connection,
                          HttpRequest request) = 0;
};

// A body that takes memory for bytes that came, not for those that a client announces.
struct ArrivedBody {
  using value_type = std::string;
  class reader;
};

class ArrivedBody::reader {
 public:
  template <bool is_request, class Fields>
  reader(boost::beast::http::header<is_request, Fields>&, std::string& body) : body_(body) {}
  void init(const boost::optional<std::uint64_t>&, boost::beast::error_code& code) { code = {}; }
  template <class Buffers>
  std::size_t put(const Buffers& buffers, boost::beast::error_code& code) {
    code = {};
    std::size_t size = 0;
    for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
      body_.append(static_cast<const char*>(buffer.data()), buffer.size());
      size += buffer.size();
    }
    return size;
  }
  void finish(boost::beast::error_code& code) { code = {}; }

 private:
  std::string& body_;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Stage { idle, head, body, working, writing, draining, closed };

  HttpConnection(boost::asio::ip::tcp::socket socket, ConnectionHost& host);

  void start();
  void finish(HttpAnswer answer);                // what a worker has made of the request
  void give_up();                                // its time is over: 408 where a request has begun
  void refuse(int status, const char* message);  // answers, and takes nothing further
  void close();

  Stage stage() const { return stage_; }
  // Whether bytes of a request are there that is not answered.
  bool has_begun() const {
    return stage_ != Stage::idle && (stage_ != Stage::head || parser_.has_value());
  }
  Clock::time_point since() const { return since_; }  // the stage began
  bool is_late(Clock::time_point now) const { return now > deadline_; }
  std::size_t held() const;  // bytes of bodies and answers, roughly

 private:
  using Parser = boost::beast::http::request_parser<ArrivedBody>;

  void enter(Stage stage);
  void read();
  void arrived(boost::beast::error_code code, std::size_t bytes);
  void advance();  // as far as the bytes that are there lead
  void begin_request();
  bool take_head();
  void begin_work();
  void refuse_bytes(boost::beast::error_code code);
  void answer(HttpAnswer answer);
  void written(boost::beast::error_code code);
  void drain();
  template <class Handler>
  auto guarded(Handler handler);

  boost::asio::ip::tcp::socket socket_;
  ConnectionHost& host_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  HttpRequest request_;
  std::string head_, answer_;  // on their way
  Stage stage_ = Stage::idle;
  Clock::time_point since_, deadline_;
  std::size_t at_work_ = 0, drained_ = 0;  // bytes of the body that a worker has; passed over
  bool is_head_taken_ = false, is_reading_ = false, stays_open_ = true;
};

}  // namespace postrider::cli
