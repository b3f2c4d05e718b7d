// Learning rows as they come, each once: what they say becomes part of the beliefs, and nothing is stored.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "network/network_state.h"
#include "train/drift.h"
#include "train/row_sweeps.h"
#include "train/row_window.h"
#include "train/stream_scores.h"

namespace postrider::internal {

struct StreamOptions {
  double power = 1;
  std::size_t block = 0;
  bool learn_noise = true;
  std::vector<double> first_noise;  // bounds of the noise are never narrower than this
  std::size_t horizon = 1;          // see TrainerOptions
};

// Noise, and how it follows the rows of a stream.
//
// The present noise counts as known from as many rows as were seen, within bounds: at first it is hardly
// known, and later it must still be able to follow. One step for each noise variance from each row.
template <class T>
void step_noise(std::vector<double>& noise, const RowAssessment& row, double weight,
                std::size_t seen, const Targets<T>& targets, const std::vector<double>& first);

// What a stream keeps from call to call: memory, and what there was before the last call.
template <class T>
struct StreamWork {
  Sweeper<T> sweeper;
  Drift<T> drift;
  std::unique_ptr<RowWindow<T>> window = {};  // may be none
  WeightMessages<T> ahead =
      {};                    // beliefs that rows are predicted by, if not by those just before them
  StreamScores scores = {};  // of the last call
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

}  // namespace postrider::internal
