#include "cli/budget.h"

#include <algorithm>

#include "postrider/budget.h"
#include "postrider/error.h"

namespace postrider::cli {

void expect_possible_memory(const std::string& option, const std::string& text, bool is_stream,
                            std::size_t store_budget) {
  if (text.empty()) return;
  bytes_of(option, text);
  if (is_stream) reject(option, text, "does not go with --stream, whose memory is constant");
  if (store_budget > 0) reject(option, text, "does not go with --store-budget");
}

TimeBudget::TimeBudget(const std::string& option, const std::string& text) {
  constexpr double kForever = 1e9;
  if (text.empty()) return;
  const auto time = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds_of(option, text), kForever)));
  const Clock::time_point now = Clock::now();
  half_ = now + time / 2;
  end_ = now + time;
}

bool TimeBudget::is_over() const { return Clock::now() >= end_; }
bool TimeBudget::is_half_over() const { return Clock::now() >= half_; }

}  // namespace postrider::cli
