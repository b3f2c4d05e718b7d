// When training ends: a function of options and progress alone, so that a resumed run stops where it
// would have stopped.
#pragma once

#include <algorithm>
#include <cmath>

#include "train/progress.h"

namespace postrider {

// The training score's change is a share of at least this.
inline constexpr double kSmallestScore = 1e-6;

template <class T>
bool has_converged(const TrainerOptions& options, const Progress<T>& progress) {
  if (options.stopping != Stopping::paper || progress.epoch < 2) return false;
  const double before = progress.training_score_before;
  return std::abs(progress.training_score - before) <
         options.tolerance * std::max(kSmallestScore, std::abs(before));
}

// As asked for, or by the number of rows.
inline std::size_t most_epochs(const TrainerOptions& options, std::size_t rows) {
  return options.max_epochs > 0 ? options.max_epochs : epoch_budget(rows);
}

template <class T>
bool should_stop(const TrainerOptions& options, std::size_t rows, const Progress<T>& progress,
                 StopReason& reason) {
  if (has_converged(options, progress))
    reason = StopReason::converged;
  else if (options.stopping == Stopping::score &&
           progress.epoch >= progress.best_epoch + options.patience)
    reason = StopReason::patience;
  else if (progress.epoch >= most_epochs(options, rows))
    reason = StopReason::max_epochs;
  else
    return false;
  return true;
}

}  // namespace postrider
