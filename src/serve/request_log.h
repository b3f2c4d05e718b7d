// What a server tells of requests that failed, and of its models.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

// --- What a server has done, in the form that Prometheus reads.

class RequestMetrics {
 public:
  void add(int status, std::size_t rows, double seconds);
  void add_refusal(int status) { ++(status < 500 ? refused_ : failed_); }
  void add_reload(bool succeeded) { ++(succeeded ? reloads_ : failed_reloads_); }
  std::string text() const;

 private:
  // Upper bounds of the histogram, in seconds.
  static constexpr std::array<double, 10> kBounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                                  0.005,  0.01,    0.05,   0.25,  1};
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::uint64_t> answered_{0}, refused_{0}, failed_{0}, rows_{0};
  std::atomic<std::uint64_t> nanoseconds_{0}, reloads_{0}, failed_reloads_{0};
};

}  // namespace postrider::cli
