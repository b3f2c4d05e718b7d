// How long training takes, and training that ends when its time is over.
#pragma once

#include <chrono>
#include <cstddef>

#include "postrider/estimator_options.h"
#include "postrider/export.h"
#include "postrider/training.h"

namespace postrider {

// About how many seconds a fit of so many rows takes one thread of a machine of 2023. `inputs` and `outputs` are those of the network: a category
// is an input, a class an output. How soon a score stops rising is known only afterwards: four of five fits took between
// 0.4 and 2.5 times that. bench/time_to_model/expected.py finds the constants in what was measured.
POSTRIDER_EXPORT double expected_seconds(const EstimatorOptions& options, std::size_t rows,
                                         std::size_t inputs, std::size_t outputs);

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
