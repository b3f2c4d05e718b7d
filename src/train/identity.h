// Whether a training run is the same as another: a fingerprint of all that its result depends on.
#pragma once

#include <cstdint>

#include "network/network_state.h"
#include "postrider/network/trainer.h"
#include "train/training_rows.h"

namespace postrider::internal {

// Rows, targets, sample weights, those options on which results depend, and the network before training.
template <class T>
std::uint64_t identity_of(const RowsToLearn& rows, const TrainerOptions& options,
                          const network::TrainingTask& task, std::size_t group_size,
                          const NetworkArrays<T>& network);

}  // namespace postrider::internal
