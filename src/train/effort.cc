#include "train/effort.h"

#include <algorithm>
#include <cmath>

namespace postrider {

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

std::size_t patience_of(const TrainerOptions& options) {
  return options.patience > 0 ? options.patience : rules_of(options.effort).patience;
}

std::size_t most_epochs(const TrainerOptions& options, std::size_t rows) {
  if (options.max_epochs > 0) return options.max_epochs;
  const double chosen =
      rules_of(options.effort).budget_share * static_cast<double>(epoch_budget(rows));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(chosen)));
}

}  // namespace postrider
