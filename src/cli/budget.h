// How long a command may take, and how much memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace postrider::cli {

// Throws InvalidArgument if there is a limit of memory that cannot be kept to.
void expect_possible_memory(const std::string& option, const std::string& text, bool is_stream,
                            std::size_t store_budget);

// From now on; an empty text sets no limit.
class TimeBudget {
 public:
  TimeBudget(const std::string& option, const std::string& text);
  bool is_over() const;
  // Time for what comes before training: the rest is the model's.
  bool is_half_over() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point half_ = Clock::time_point::max();
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace postrider::cli
