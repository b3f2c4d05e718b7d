// When training ends: a function of options and progress alone, so that a resumed run stops where it
// would have stopped.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "train/option_table.h"
#include "train/progress.h"

namespace postrider::internal {

// The training score's change is a share of at least this.
inline constexpr double kSmallestScore = 1e-6;

template <class T>
bool has_converged(const TrainerOptions& options, const Progress<T>& progress) {
  if (options.stopping != TrainerOptions::Stopping::paper || progress.epoch < 2) return false;
  const double before = progress.training_score_before;
  return std::abs(progress.training_score - before) <
         options.tolerance * std::max(kSmallestScore, std::abs(before));
}

// The share by which means run ahead: it needs a score that says when they ran too far.
inline double extrapolation_of(const TrainerOptions& options) {
  return options.stopping == TrainerOptions::Stopping::score ? options.extrapolation : 0;
}

// Whether another tenth of the time is likely to gain little. Scores rise about as the logarithm of the epochs: by as much from 2/3 of the present
// number to the present one as in the next half of it. Early scores
// rise and fall with the noise that is learned, and whoever has more patience is not asked sooner.
template <class T>
bool gains_little(const TrainerOptions& options, std::size_t rows, const Progress<T>& progress) {
  const std::size_t epochs = progress.epochs.size();
  if (epochs < fewest_epochs(options, rows)) return false;
  double before = progress.epochs.front().score;
  for (std::size_t e = 0; e < epochs * 2 / 3; ++e)
    before = std::max(before, progress.epochs[e].score);
  return (progress.best_score - before) * std::log(1.1) / std::log(1.5) <
         rules_of(options.effort).worth_a_tenth;
}

template <class T>
bool should_stop(const TrainerOptions& options, std::size_t rows, const Progress<T>& progress,
                 FitReport::StopReason& reason) {
  if (has_converged(options, progress))
    reason = FitReport::StopReason::converged;
  else if (options.stopping == TrainerOptions::Stopping::score &&
           progress.epoch >= progress.best_epoch + patience_of(options, rows))
    reason = FitReport::StopReason::patience;
  else if (options.stopping == TrainerOptions::Stopping::score &&
           gains_little(options, rows, progress))
    reason = FitReport::StopReason::little_to_gain;
  else if (progress.epoch >= most_epochs(options, rows))
    reason = FitReport::StopReason::max_epochs;
  else
    return false;
  return true;
}

// --- Epochs of all rows, also of those that networks left out while they were judged.

// How many epochs of all rows follow those that left some out. They begin where the last epoch ended, which must have been near the best one: where
// rows are noisy and few, beliefs have gone far beyond that by the time training ends.
template <class T>
std::size_t refit_epochs(const TrainerOptions& options, const Progress<T>& progress) {
  constexpr double kNear = 0.75;
  constexpr std::size_t kFewest = 2;
  const auto epochs = static_cast<double>(progress.epoch);
  if (options.refit == 0 || options.stopping != TrainerOptions::Stopping::score ||
      static_cast<double>(progress.best_epoch) < kNear * epochs)
    return 0;
  return std::max(kFewest, static_cast<std::size_t>(options.refit * epochs));
}

}  // namespace postrider::internal
