// Training networks of one shape side by side, one in each lane of the vectors (src/sweep/pack).
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "train/job.h"

namespace postrider {

// Whether these options can be followed in a pack: it knows no groups side by side and no training score.
bool can_be_packed(const TrainerOptions& options);

inline constexpr std::size_t kAllEpochs = std::numeric_limits<std::size_t>::max();

// Networks side by side that are trained in stretches: what they learn does not depend on where these end.
class PackTraining {
 public:
  virtual ~PackTraining() = default;
  // Until so many epochs in all are over, or until training ends.
  virtual void run(std::size_t epochs, const TrainingCallbacks& callbacks) = 0;
  // What came of each job so far. Its network has the beliefs that count by now.
  virtual std::vector<TrainingOutcome> outcomes() = 0;
};

// At most kPack jobs, whose networks are alike in all but their prior means and whose tasks have the same
// likelihood; groups have the same number of rows in all. The result of a job does not depend on the
// others, but for the size of groups that was not asked for. Reports tell the job's number in `member`.
// They must outlive it.
std::unique_ptr<PackTraining> begin_pack(std::span<TrainingJob> jobs,
                                         const TrainerOptions& options);
std::vector<TrainingOutcome> fit_pack(std::span<TrainingJob> jobs, const TrainerOptions& options,
                                      const TrainingCallbacks& callbacks);

}  // namespace postrider
