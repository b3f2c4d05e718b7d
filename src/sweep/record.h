#pragma once

#include <cstddef>

namespace postrider::internal {

// What happened in the numbers; see Event.
struct SweepRecord {
  std::size_t examples = 0;
  std::size_t linearised = 0;  // activations whose tilted message was improper
  std::size_t silent = 0;      // activations to which nothing of weight came back
  std::size_t guarded = 0;     // outputs whose message rounding had put out of its bounds
};

}  // namespace postrider::internal
