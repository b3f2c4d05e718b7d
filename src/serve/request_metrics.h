// What a server has done, in the form that Prometheus reads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace postrider::cli {

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
