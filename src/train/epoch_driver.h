// Epochs of networks that are trained together: when each network stops, what is kept of it, and checkpoints.
#pragma once

#include <memory>
#include <string>

#include "train/epoch_engine.h"
#include "train/job.h"

namespace postrider::internal {

// Goes on from the checkpoint of that name, or else from the options' if they ask for it and it is there.
template <class T>
std::unique_ptr<TrainingRun> begin_epochs(std::unique_ptr<EpochEngine<T>> engine,
                                          const TrainerOptions& options,
                                          const std::string& resume_from = {});

}  // namespace postrider::internal
