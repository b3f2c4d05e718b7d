// The inside of a Trainer, in the precision of its network.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/workers.h"
#include "model/network_state.h"
#include "postrider/trainer.h"
#include "train/groups.h"
#include "train/store.h"

namespace postrider {

class TrainerState {
 public:
  virtual ~TrainerState() = default;
  virtual FitReport fit(const InputRows& inputs, std::span<const double> targets,
                        std::span<const double> weights) = 0;
  virtual double partial_fit(const InputRows& inputs, std::span<const double> targets,
                             std::span<const double> weights) = 0;

  TrainerOptions options;
  std::string resume_from;
  std::vector<double> noise_variance;
  std::size_t store_bytes = 0;
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
// The same for a run that goes on without: why it could not be written, or nothing.
template <class T>
std::string try_write_checkpoint(const std::string& path, const Progress<T>& progress,
                                 const WeightMessages<T>& belief, MessageStore<T>& store,
                                 std::uint64_t identity);
// Throws CorruptFile or FileError, and then progress and belief are as before.
template <class T>
void read_checkpoint(const std::string& path, Progress<T>& progress, WeightMessages<T>& belief,
                     MessageStore<T>& store, std::uint64_t identity);

// Of rows, targets, weights, those options on which results depend, and the network before training.
template <class T>
std::uint64_t identity_of(const InputRows& inputs, std::span<const double> targets,
                          std::span<const double> weights, const TrainerOptions& options,
                          std::size_t group_size, const NetworkArrays<T>& network);

}  // namespace postrider
