// What a server tells of requests that failed, and of its models.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/http_message.h"

namespace postrider::cli {

// Never waits for whoever reads: a line that would have to wait is lost. For any number of threads.
class RequestLog {
 public:
  explicit RequestLog(bool quiet) : quiet_(quiet) {}

  // One line for a status of 400 and above; if quiet, of 500 and above. At most ten a second; the others are counted.
  void add(const HttpRequest& request, const HttpAnswer& answer);
  void tell_left_out();                               // how many these were since the last time
  void tell(std::string_view line, bool is_failure);  // if not quiet

 private:
  static constexpr std::size_t kMostPerSecond = 10;

  bool quiet_;
  std::mutex lock_;
  std::chrono::steady_clock::time_point second_;
  std::size_t in_second_ = 0, left_out_ = 0;
};

}  // namespace postrider::cli
