#include "cli/budget.h"

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

TimeBudget time_budget(const std::string& option, const std::string& text) {
  return text.empty() ? TimeBudget() : TimeBudget(seconds_of(option, text));
}

}  // namespace postrider::cli
