// HTTP/1.1 for clients of any intent, apart from what is answered. By Boost.Beast's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/http_message.h"

namespace postrider::cli {

struct HttpLimits {
  std::size_t connections = 512;      // at a time; for a new one the slowest is closed
  std::size_t most_bytes = 16 << 20;  // of a body
  std::size_t head_bytes = 16 << 10;  // of the lines before it
  // For the head of a request, for its body or an answer to travel, and between two requests.
  double head_seconds = 10, travel_seconds = 30, idle_seconds = 60;
  double grace_seconds = 10;  // for all that has begun, after the end was asked for
  std::size_t workers = 2;
};

struct HttpLoad {
  std::size_t connections = 0, waiting = 0;  // requests that wait for a worker
  std::uint64_t dropped = 0;                 // connections that were closed for being slow
};

class HttpService {
 public:
  virtual ~HttpService() = default;
  // By the head alone, on the thread that reads: an answer, or none if the request is to be read whole. Quick.
  virtual std::optional<HttpAnswer> answer_at_once(const HttpRequest& request,
                                                   const HttpLoad& load) = 0;
  // Whole requests, on a worker; all ask for the same.
  virtual std::vector<HttpAnswer> answer(const std::vector<HttpRequest>& requests) = 0;
  // Every answer that is sent, or would be if its client were still there.
  virtual void note(const HttpRequest& request, const HttpAnswer& answer) = 0;
};

// Nothing that a client sends ends or blocks it: one thread reads and writes, workers answer what takes time.
class HttpServer {
 public:
  // Listens from now on; throws FileError if the address cannot be had.
  HttpServer(const std::string& host, int port, const HttpLimits& limits, HttpService& service);
  ~HttpServer();

  int port() const;
  // Until it is to end, which is asked every 50 ms: what has begun is then answered within the seconds of grace.
  void run(const std::function<bool()>& is_to_end);

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace postrider::cli
