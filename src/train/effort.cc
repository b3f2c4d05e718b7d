#include "train/effort.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {
namespace {

std::size_t chosen_epochs(Effort effort, std::size_t rows) {
  const double chosen = rules_of(effort).budget_share * static_cast<double>(epoch_budget(rows));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(chosen)));
}

// Many rows are learned in few epochs, and those take long: as many epochs as visit this number of rows, at most.
std::size_t bounded_by_rows(std::size_t epochs, Effort effort, std::size_t rows) {
  constexpr double kRowsVisited = 200000;
  constexpr std::size_t kLeast = 3;
  const double found = rules_of(effort).budget_share * kRowsVisited /
                       static_cast<double>(std::max<std::size_t>(1, rows));
  return std::min(epochs, std::max(kLeast, static_cast<std::size_t>(found)));
}

}  // namespace

// Scores rise and fall with the noise while that is learned, in the first tens of epochs: whoever asks
// earlier whether more is worth it ends some trainings too early.
EffortRules rules_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {6, 16, 0.01, 0.25};
    case Effort::thorough:
      return {60, 200, 0.0005, 2.5};
    case Effort::standard:
      break;
  }
  return {30, 100, 0.002, 1};
}

std::size_t most_epochs(const TrainerOptions& options, std::size_t rows) {
  return options.max_epochs > 0 ? options.max_epochs : chosen_epochs(options.effort, rows);
}

std::size_t patience_of(const TrainerOptions& options, std::size_t rows) {
  if (options.patience > 0) return options.patience;
  return bounded_by_rows(rules_of(options.effort).patience, options.effort, rows);
}

std::size_t fewest_epochs(const TrainerOptions& options, std::size_t rows) {
  const std::size_t chosen =
      bounded_by_rows(rules_of(options.effort).fewest_epochs, options.effort, rows);
  return std::max(chosen, patience_of(options, rows));
}

}  // namespace postrider::internal
