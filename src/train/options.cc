#include <cmath>

#include "postrider/error.h"
#include "postrider/trainer.h"
#include "sweep/workspace.h"

namespace postrider {

void TrainerOptions::validate() const {
  if (max_epochs == 0) reject("max_epochs", max_epochs, "must be at least 1");
  if (stopping == Stopping::score && patience == 0)
    reject("patience", patience, "must be at least 1");
  if (!(tolerance >= 0)) reject("tolerance", tolerance, "must be a number of at least 0");
  if (store == Store::mapped_file && store_path.empty())
    reject("store_path", store_path, "must name a file for the mapped store");
  for (const double variance : noise_variance)
    if (!(variance > 0 && std::isfinite(variance)))
      reject("noise_variance", variance, "must be numbers above 0");
  if (!(power > 0 && std::isfinite(power))) reject("power", power, "must be a number above 0");
  if (!(renewal > 0 && renewal <= 1)) reject("renewal", renewal, "must be above 0 and at most 1");
  if (block != 0 && block != 1 && block != 2 && block != 4 && block != kLargestBlock)
    reject("block", block, "must be 1, 2, 4 or 8, or 0 to choose by the network's size");
  if (parallel_groups == 0) reject("parallel_groups", parallel_groups, "must be at least 1");
  if (threads == 0) reject("threads", threads, "must be at least 1");
  if (resume && checkpoint.empty()) reject("resume", "yes", "needs a checkpoint to go on from");
  if (checkpoint_every == 0) reject("checkpoint_every", checkpoint_every, "must be at least 1");
}

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::patience:
      return "no better score";
    case StopReason::max_epochs:
      return "largest number of epochs";
    case StopReason::cancelled:
      return "cancelled";
    case StopReason::diverged:
      break;
  }
  return "diverged";
}

}  // namespace postrider
