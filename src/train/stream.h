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

// Learns the rows that `sweeps` has loaded; the sweeper may be kept from call to call. The noise takes a small step after each row or block of rows,
// so that the result does not depend on how a stream is cut into calls, but for blocks of large networks.
// Beliefs, noise and `seen` change only if the new beliefs are sound.
template <class T>
StreamReport learn_stream(NetworkArrays<T>& network, RowSweeps<T>& sweeps,
                          const Targets<T>& targets, Sweeper<T>& sweeper,
                          const StreamOptions& options, std::vector<double>& noise,
                          std::size_t& seen);

}  // namespace postrider
