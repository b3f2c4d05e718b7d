// Training networks of one shape side by side, one in each lane of the vectors (src/sweep/pack).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "train/job.h"

namespace postrider::internal {

// Whether these options can be followed in a pack: it knows no groups side by side and no training score.
bool can_be_packed(const TrainerOptions& options);

// At most kPack jobs, whose networks are alike in all but their prior means and whose tasks have the same
// likelihood; groups have the same number of rows in all. The result of a job does not depend on the
// others, but for the size of groups that was not asked for. Reports tell the job's number in `member`.
// They must outlive it.
std::unique_ptr<TrainingRun> begin_pack(std::span<TrainingJob> jobs, const TrainerOptions& options);
std::vector<TrainingOutcome> fit_pack(std::span<TrainingJob> jobs, const TrainerOptions& options,
                                      const TrainingCallbacks& callbacks);

}  // namespace postrider::internal
