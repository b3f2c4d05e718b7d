// How long a command may take, and how much memory.
#pragma once

#include <cstddef>
#include <string>

#include "postrider/time_budget.h"

namespace postrider::cli {

// Throws InvalidArgument if there is a limit of memory that cannot be kept to.
void expect_possible_memory(const std::string& option, const std::string& text, bool is_stream,
                            std::size_t store_budget);

// From now on; an empty text sets no limit.
TimeBudget time_budget(const std::string& option, const std::string& text);

}  // namespace postrider::cli
