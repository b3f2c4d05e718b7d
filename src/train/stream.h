// Learning rows as they come, each once: what they say becomes part of the beliefs, and nothing is stored.
#pragma once

#include <cstddef>
#include <vector>

#include "model/network_state.h"
#include "train/row_sweeps.h"

namespace postrider {

struct StreamOptions {
  double power = 1;
  std::size_t block = 0;
  bool learn_noise = true;
  std::vector<double> first_noise;  // bounds of the noise are never narrower than this
};

// What a stream keeps from call to call: memory, and what there was before the last call.
template <class T>
struct StreamWork {
  Sweeper<T> sweeper;
  WeightMessages<T> belief_before = {};
  std::vector<double> noise_before = {};
  std::size_t seen_before = 0;
};

// Learns the rows that `sweeps` has loaded. The noise takes a small step after each row or block of
// rows, so that the result does not depend on how a stream is cut into calls, but for blocks of large
// networks. Beliefs, noise and `seen` change only if the new beliefs are sound.
template <class T>
StreamReport learn_stream(NetworkArrays<T>& network, RowSweeps<T>& sweeps,
                          const Targets<T>& targets, StreamWork<T>& work,
                          const StreamOptions& options, std::vector<double>& noise,
                          std::size_t& seen);

}  // namespace postrider
