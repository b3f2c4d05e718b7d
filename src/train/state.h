// The inside of a Trainer, in the precision of its network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/access.h"
#include "network/network_state.h"
#include "postrider/network/trainer.h"
#include "train/job.h"
#include "train/stream_scores.h"

namespace postrider::internal {

class TrainerState {
 public:
  virtual ~TrainerState() = default;
  virtual TrainingRows prepared(const network::InputRows& inputs) const = 0;
  virtual TrainingOutcome fit(const RowsToLearn& rows, const TrainingCallbacks& callbacks) = 0;
  virtual StreamReport partial_fit(const RowsToLearn& rows) = 0;
  // Beliefs and noise as they were before the last partial_fit().
  virtual void undo_partial_fit() = 0;

  TrainerOptions options;
  network::TrainingTask task;
  std::string resume_from;
  std::vector<double> noise_variance;
  std::size_t store_bytes = 0;
  std::size_t seen = 0;  // examples learned so far
  StreamScores scores;   // of the last partial_fit()
};

inline TrainerState& inside_of(network::Trainer& trainer) { return Access::inside(trainer); }

}  // namespace postrider::internal
