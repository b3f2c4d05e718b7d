// Training many networks in one call: members of an ensemble, or models of their own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "train/job.h"
#include "train/pack_trainer.h"

namespace postrider::internal {

// An outcome for each. Networks of one shape are trained side by side in the lanes of vectors where that
// takes fewer instructions than one after another; what is trained together is spread over the threads.
// Reports tell the job's number in `member`. If training is cancelled, jobs that had not begun have no
// outcome.
std::vector<TrainingOutcome> fit_all(std::span<TrainingJob> jobs, const TrainerOptions& options,
                                     const TrainingCallbacks& callbacks = {});

// The same in stretches, if all of them are trained side by side; else none. They must outlive it.
std::unique_ptr<TrainingRun> begin_together(std::span<TrainingJob> jobs,
                                            const TrainerOptions& options);

}  // namespace postrider::internal
