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
  // The same callbacks, and training ends when the time is over, with what is best by then. A budget that is too short for an
  // epoch is exceeded: a part of one is no model. Encodings race for half of the time at most.
  TrainingCallbacks limiting(TrainingCallbacks callbacks) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point half_ = Clock::time_point::max();
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace postrider
