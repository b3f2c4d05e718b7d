// What of a training run is on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sweep/arrays.h"
#include "train/progress.h"
#include "train/store.h"

namespace postrider {

// One network, or a pack of them, whose beliefs and store hold all of them side by side; `identity` tells
// whether data and options are the same.
template <class T>
void write_checkpoint(const std::string& path, std::span<const Progress<T>> networks,
                      const WeightMessages<T>& belief, MessageStore<T>& store,
                      std::uint64_t identity);
// Throws CorruptFile or FileError, and then progress and belief are as before.
template <class T>
void read_checkpoint(const std::string& path, std::span<Progress<T>> networks,
                     WeightMessages<T>& belief, MessageStore<T>& store, std::uint64_t identity);

// Checkpoints of one run that cannot be written: said once, if anybody listens, and tried again after the
// next epochs; else the error is thrown.
class CheckpointAttempts {
 public:
  void attempt(const std::function<void()>& write, const TrainingCallbacks& callbacks);

 private:
  bool has_failed_ = false;
};

}  // namespace postrider
