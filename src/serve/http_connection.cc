#include "serve/http_connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>

namespace postrider::cli {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;

constexpr std::size_t kHeadPiece = 4 << 10, kBodyPiece = 64 << 10;  // bytes read at a time
// Bytes that cannot be taken apart yet: lines of chunks and trailers, which Beast does not bound.
constexpr std::size_t kMostUnparsed = 2 * kBodyPiece;
// What comes after the last answer is passed over within these bounds.
constexpr double kDrainSeconds = 2;
constexpr std::size_t kMostDrained = 16 << 20;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::chrono::steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(count));
}

std::string text(boost::beast::string_view from) { return {from.data(), from.size()}; }

// Two programs that count a body's bytes differently take one request for another: what leaves room for that is refused.
template <class Head>
const char* problem_of(const Head& head) {
  const auto lengths = head.count(http::field::content_length);
  const auto codings = head.count(http::field::transfer_encoding);
  if (lengths > 1 || text(head[http::field::content_length]).find(',') != std::string::npos)
    return "has more than one Content-Length";
  if (lengths > 0 && codings > 0) return "has both Content-Length and Transfer-Encoding";
  if (codings > 1) return "has more than one Transfer-Encoding";
  if (head.count(http::field::host) > 1) return "has more than one Host";
  if (head.version() >= 11 && head.count(http::field::host) == 0) return "has no Host";
  return nullptr;
}

template <class Head>
void copy_head(const Head& head, HttpRequest& to) {
  to.method = text(head.method_string());
  to.target = text(head.target());
  if (head.count(http::field::host) > 0) to.host = text(head[http::field::host]);
  to.content_type = text(head[http::field::content_type]);
  to.content_encoding = text(head[http::field::content_encoding]);
  to.authorization = text(head[http::field::authorization]);
}

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, ConnectionHost& host)
    : socket_(std::move(socket)), host_(host) {
  enter(Stage::head);  // a client that connects and says nothing is slow
}

// A handler that throws would end the server: here it ends its connection.
template <class Handler>
auto HttpConnection::guarded(Handler handler) {
  return [self = shared_from_this(), handler = std::move(handler)](error_code code,
                                                                   std::size_t bytes) {
    try {
      if (self->stage_ != Stage::closed) handler(code, bytes);
    } catch (...) {
      self->close();
    }
  };
}

void HttpConnection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  read();
}

void HttpConnection::enter(Stage stage) {
  const HttpLimits& limits = host_.limits();
  stage_ = stage;
  since_ = Clock::now();
  switch (stage) {
    case Stage::idle:
      deadline_ = since_ + seconds(limits.idle_seconds);
      return;
    case Stage::head:
      deadline_ = since_ + seconds(limits.head_seconds);
      return;
    case Stage::body:
    case Stage::writing:
      deadline_ = since_ + seconds(limits.travel_seconds);
      return;
    case Stage::draining:
      deadline_ = since_ + seconds(kDrainSeconds);
      return;
    case Stage::working:
    case Stage::closed:
      deadline_ = Clock::time_point::max();
  }
}

std::size_t HttpConnection::held() const {
  const std::size_t body = parser_ ? parser_->get().body().capacity() : 0;
  return body + at_work_ + answer_.capacity();
}

void HttpConnection::read() {
  is_reading_ = true;
  const std::size_t piece = stage_ == Stage::body ? kBodyPiece : kHeadPiece;
  socket_.async_read_some(
      buffer_.prepare(piece),
      guarded([this](error_code code, std::size_t bytes) { arrived(code, bytes); }));
}

void HttpConnection::arrived(error_code code, std::size_t bytes) {
  is_reading_ = false;
  if (stage_ == Stage::writing) return;  // it was refused meanwhile, and is drained afterwards
  if (code) return close();
  if (stage_ == Stage::draining) return (drained_ += bytes) > kMostDrained ? close() : read();
  if (stage_ == Stage::idle) enter(Stage::head);
  buffer_.commit(bytes);
  advance();
}

void HttpConnection::advance() {
  if (!parser_) begin_request();
  while (true) {
    error_code code;
    std::size_t used = 0;
    if (!parser_->is_done() && buffer_.size() > 0) used = parser_->put(buffer_.data(), code);
    buffer_.consume(used);
    if (code && code != http::error::need_more) return refuse_bytes(code);
    if (parser_->is_header_done() && !is_head_taken_ && !take_head()) return;
    if (parser_->is_done()) return begin_work();
    if (used == 0 || buffer_.size() == 0) break;
  }
  if (stage_ == Stage::body && !host_.make_room(*this))
    return refuse(503, "the server holds too many bytes; ask again later");
  if (buffer_.size() > kMostUnparsed)
    return refuse(400, "a line between the parts of the body is too long");
  read();
}

void HttpConnection::begin_request() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(host_.limits().head_bytes));
  parser_->body_limit(host_.limits().most_bytes);
  is_head_taken_ = false;
  request_ = {};
  request_.id = host_.next_id();
}

// false: it is answered already.
bool HttpConnection::take_head() {
  is_head_taken_ = true;
  parser_->eager(true);
  const auto& head = parser_->get();
  copy_head(head, request_);
  stays_open_ = head.keep_alive() && parser_->is_done();
  if (const char* problem = problem_of(head)) return refuse(400, problem), false;
  if (!read_target(request_)) return refuse(400, "its target makes no sense"), false;
  if (std::optional<HttpAnswer> now = host_.service().answer_at_once(request_, host_.load())) {
    answer(std::move(*now));
    return false;
  }
  stays_open_ = head.keep_alive();
  if (parser_->is_done()) return true;
  enter(Stage::body);
  if (boost::beast::iequals(head[http::field::expect], "100-continue")) {
    // Nothing else is on its way; a client that takes not even this goes without.
    error_code ignored;
    socket_.write_some(asio::buffer(kContinue), ignored);
  }
  return true;
}

void HttpConnection::begin_work() {
  HttpRequest request = request_;
  request.body = std::move(parser_->get().body());
  at_work_ = request.body.capacity();
  enter(Stage::working);
  if (!host_.begin_work(shared_from_this(), std::move(request)))
    refuse(503, "too many requests wait; ask again later");
}

void HttpConnection::refuse_bytes(error_code code) {
  if (!is_head_taken_ && parser_->get().method() != http::verb::unknown) {
    copy_head(parser_->get(), request_);
  }
  if (code == http::error::body_limit)
    return refuse(413,
                  "the request is too large; the server's --most-bytes says how large it may be");
  if (code == http::error::header_limit)
    return refuse(431, "the lines before the body are too many or too long");
  refuse(400, "the request makes no sense as HTTP/1.1");
}

void HttpConnection::refuse(int status, const char* message) {
  stays_open_ = false;
  HttpAnswer out = refusal(status, message);
  if (status == 503) out.headers.emplace_back("Retry-After", "1");
  answer(std::move(out));
}

void HttpConnection::finish(HttpAnswer answer) {
  at_work_ = 0;
  if (stage_ == Stage::working) this->answer(std::move(answer));
}

void HttpConnection::answer(HttpAnswer answer) {
  host_.service().note(request_, answer);
  enter(Stage::writing);
  stays_open_ = stays_open_ && !host_.is_ending();
  head_ = head_of(answer, request_.id, stays_open_);
  answer_ = std::move(answer.body);
  if (parser_) std::string().swap(parser_->get().body());
  if (!host_.make_room(*this)) return close();
  const std::array<asio::const_buffer, 2> parts{
      asio::buffer(head_),
      asio::buffer(answer_.data(), request_.method == "HEAD" ? 0 : answer_.size())};
  asio::async_write(socket_, parts,
                    guarded([this](error_code code, std::size_t) { written(code); }));
}

void HttpConnection::written(error_code code) {
  std::string().swap(answer_);
  if (code) return close();
  parser_.reset();
  if (!stays_open_) return drain();
  enter(buffer_.size() > 0 ? Stage::head : Stage::idle);
  if (buffer_.size() > 0)
    advance();
  else
    read();
}

// A socket that is closed while bytes come in takes the answer back from its client.
void HttpConnection::drain() {
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.consume(buffer_.size());
  enter(Stage::draining);
  if (!is_reading_) read();
}

void HttpConnection::give_up() {
  if (!has_begun() || (stage_ != Stage::head && stage_ != Stage::body)) return close();
  refuse(408, "the request did not arrive in time");
}

void HttpConnection::close() {
  if (stage_ == Stage::closed) return;
  enter(Stage::closed);
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace postrider::cli
