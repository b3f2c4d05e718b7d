// Epochs of all rows, also of those that networks left out while they were judged.
#pragma once

#include <algorithm>
#include <cstddef>

#include "train/progress.h"

namespace postrider::internal {

// How many epochs of all rows follow those that left some out. They begin where the last epoch ended, which must have been near the best one: where
// rows are noisy and few, beliefs have gone far beyond that by the time training ends.
template <class T>
std::size_t refit_epochs(const TrainerOptions& options, const Progress<T>& progress) {
  constexpr double kNear = 0.75;
  constexpr std::size_t kFewest = 2;
  const auto epochs = static_cast<double>(progress.epoch);
  if (options.refit == 0 || options.stopping != Stopping::score ||
      static_cast<double>(progress.best_epoch) < kNear * epochs)
    return 0;
  return std::max(kFewest, static_cast<std::size_t>(options.refit * epochs));
}

}  // namespace postrider::internal
