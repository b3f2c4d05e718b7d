// Networks that are trained in one call, each on rows of its own or on the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "postrider/network.h"
#include "postrider/trainer.h"
#include "train/training_rows.h"

namespace postrider {

struct TrainingJob {
  Network& network;
  RowsToLearn rows;
  TrainingTask task;
  std::uint64_t seed = 1;                        // of the order of its rows
  std::optional<double> damping = std::nullopt;  // in the place of the options'

  double damping_or(const TrainerOptions& options) const {
    return damping.value_or(options.damping);
  }
};

// What came of a job; if it never began, all is empty.
struct TrainingOutcome {
  FitReport report;
  std::vector<double> noise_variance;
  std::size_t seen = 0;  // examples learned, each epoch anew
  // What each row was predicted to be by beliefs that had not heard it, in the epoch that counts. Not of
  // classes, nor where that epoch was interrupted.
  OutputRows left_out = {};
};

}  // namespace postrider
