// What of a training run is on disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "network/network_state.h"
#include "postrider/network/trainer.h"
#include "sweep/arrays.h"
#include "train/progress.h"
#include "train/store.h"
#include "train/training_rows.h"

namespace postrider::internal {

// One network, or a pack of them, whose arrays hold all of them side by side.
template <class T>
struct TrainingState {
  std::span<Progress<T>> networks;
  WeightMessages<T>& belief;
  MessageStore<T>& store;
  std::span<T> means_before;  // of Extrapolation; none if means do not run ahead
};

// `identity` tells whether data and options are the same.
template <class T>
void write_checkpoint(const std::string& path, const TrainingState<T>& state,
                      std::uint64_t identity);
// Throws CorruptFile or FileError, and then progress and belief are as before.
template <class T>
void read_checkpoint(const std::string& path, const TrainingState<T>& state,
                     std::uint64_t identity);

// When checkpoints are written whose number of epochs nobody chose: the first after five seconds, and then such that all of them together take at
// most a twentieth of the time.
class CheckpointPace {
 public:
  using Clock = std::chrono::steady_clock;
  explicit CheckpointPace(Clock::time_point begin = Clock::now()) : begin_(begin) {}

  bool is_due(Clock::time_point now = Clock::now()) const;
  void wrote(Clock::duration taken);

 private:
  Clock::time_point begin_;
  Clock::duration spent_{}, last_{};
};

inline bool saves_by_time(const TrainerOptions& options) {
  return !options.checkpoint.empty() && options.checkpoint_every == 0;
}

// Checkpoints of one run that cannot be written: said once, if anybody listens, and tried again after the
// next epochs; else the error is thrown.
class CheckpointAttempts {
 public:
  // After this epoch, if one is due after each so many; 0: by time.
  bool is_due(std::size_t every, std::size_t epoch) const {
    return every == 0 ? pace_.is_due() : epoch % every == 0;
  }
  void attempt(const std::function<void()>& write, const TrainingCallbacks& callbacks);

 private:
  CheckpointPace pace_;
  bool has_failed_ = false;
};

// --- Whether a training run is the same as another: a fingerprint of all that its result depends on.

// Rows, targets, sample weights, those options on which results depend, and the network before training.
template <class T>
std::uint64_t identity_of(const RowsToLearn& rows, const TrainerOptions& options,
                          const network::Trainer::Task& task, std::size_t group_size,
                          const NetworkArrays<T>& network);

}  // namespace postrider::internal
