// Training that ends when its time is over.
#pragma once

#include <chrono>

#include "postrider/export.h"
#include "postrider/trainer.h"

namespace postrider {

// From now on:
//   model.fit(inputs, targets, {}, TimeBudget(30).limiting({}));
class POSTRIDER_EXPORT TimeBudget {
 public:
  TimeBudget() = default;  // any time
  // Throws InvalidArgument if that is not above 0.
  explicit TimeBudget(double seconds);

  bool is_over() const { return Clock::now() >= end_; }
  double seconds_left() const;  // infinity of any time
  // The same callbacks, and training ends when the time is over, with what is best by then. Encodings race for half of the time at
  // most. A budget that is too short for the first epoch ends with small networks that raced, which know some of the rows, or is exceeded if there
  // was no race: a part of an epoch is no model.
  TrainingCallbacks limiting(TrainingCallbacks callbacks) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point half_ = Clock::time_point::max();
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace postrider
