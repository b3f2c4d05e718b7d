// The inside of a Trainer, in the precision of its network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/network_state.h"
#include "postrider/trainer.h"
#include "train/store.h"
#include "train/training_rows.h"

namespace postrider {

class TrainerState {
 public:
  virtual ~TrainerState() = default;
  virtual TrainingRows prepared(const InputRows& inputs) const = 0;
  virtual FitReport fit(const RowsToLearn& rows, const TrainingCallbacks& callbacks) = 0;
  virtual StreamReport partial_fit(const RowsToLearn& rows) = 0;
  // Beliefs and noise as they were before the last partial_fit().
  virtual void undo_partial_fit() = 0;

  TrainerOptions options;
  TrainingTask task;
  std::string resume_from;
  std::vector<double> noise_variance;
  std::size_t store_bytes = 0;
  std::size_t seen = 0;  // examples learned so far
};

// Beliefs and noise of one epoch, with what decides about stopping.
template <class T>
struct Progress {
  std::size_t epoch = 0, best_epoch = 0;
  double best_score = 0, training_score = 0, training_score_before = 0;
  std::vector<double> noise, best_noise;
  WeightMessages<T> best;
  std::vector<EpochReport> epochs;
};

// What of a training run is on disk; `identity` tells whether data and options are the same.
template <class T>
void write_checkpoint(const std::string& path, const Progress<T>& progress,
                      const WeightMessages<T>& belief, MessageStore<T>& store,
                      std::uint64_t identity);
// Throws CorruptFile or FileError, and then progress and belief are as before.
template <class T>
void read_checkpoint(const std::string& path, Progress<T>& progress, WeightMessages<T>& belief,
                     MessageStore<T>& store, std::uint64_t identity);

}  // namespace postrider
