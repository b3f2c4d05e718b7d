// Networks that are trained in one call, each on rows of its own or on the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "postrider/network.h"
#include "postrider/trainer.h"
#include "train/training_rows.h"

namespace postrider {

struct TrainingJob {
  Network& network;
  RowsToLearn rows;
  TrainingTask task;
  std::uint64_t seed = 1;  // of the order of its rows
};

// Of a job that never began, all is empty.
struct TrainingOutcome {
  FitReport report;
  std::vector<double> noise_variance;
  std::size_t seen = 0;  // examples learned, each epoch anew
};

}  // namespace postrider
