// How long a command may take, and how much memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "postrider/table.h"

namespace postrider::cli {

// "90s", "10m", "1.5h" or "2d"; seconds without a unit. Throws InvalidArgument, which names the option.
double seconds_of(const std::string& option, const std::string& text);
// "512M", "2G" or "2GiB", powers of 1024; bytes without a unit.
std::size_t bytes_of(const std::string& option, const std::string& text);

// Throws InvalidArgument if there is a limit of memory that cannot be kept to.
void expect_possible_memory(const std::string& option, const std::string& text, bool is_stream,
                            std::size_t store_budget);

// From now on; an empty text sets no limit.
class TimeBudget {
 public:
  TimeBudget(const std::string& option, const std::string& text);
  bool is_over() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_ = Clock::time_point::max();
};

// Bytes for stored messages, if a process with this table may take so many in all. Throws InvalidArgument if it is too little.
std::size_t store_bytes(const std::string& option, const std::string& text, const Table& table);

}  // namespace postrider::cli
