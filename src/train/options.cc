#include <algorithm>
#include <cmath>
#include <limits>

#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "sweep/workspace.h"
#include "train/option_table.h"

namespace postrider {
using namespace internal;
namespace {

// The most that a variance may grow per row: far beyond all that a standardised output needs.
constexpr double kMostWalk = 1e6;

}  // namespace

void TrainerOptions::validate(Spelling spelling) const {
  expect_options(training_option_rows(), *this, spelling);
  if (store == Store::mapped_file && store_path.empty())
    reject("store_path", store_path, "must name a file for the mapped store");
  if (block != 0 && block != 1 && block != 2 && block != 4 && block != kLargestBlock)
    reject("block", block, "must be 1, 2, 4 or 8, or 0 to choose by the network's size");
  if (resume && checkpoint.empty()) reject("resume", "yes", "needs a checkpoint to go on from");
}

std::size_t epoch_budget(std::size_t rows) {
  constexpr std::size_t kRows = 400000, kMost = 400, kLeast = 40;
  return std::clamp(kRows / std::max<std::size_t>(1, rows), kLeast, kMost);
}

void network::TrainingTask::validate() const {
  if (!(power > 0 && std::isfinite(power))) reject("power", power, "must be a number above 0");
  if (!(drift.forgetting >= 0 && drift.forgetting < 1))
    reject("forgetting", drift.forgetting, "must be at least 0 and below 1");
  if (!(drift.walk >= 0 && drift.walk <= kMostWalk))
    reject("walk", drift.walk, "must be at least 0 and at most 1e6");
}

double FitReport::best_score() const {
  if (best_epoch == 0 || best_epoch > epochs.size())
    return -std::numeric_limits<double>::infinity();
  return epochs[best_epoch - 1].score;
}

bool FitReport::may_still_rise() const {
  constexpr double kWorthMore = 0.005;  // nats per row
  if (reason != StopReason::max_epochs || epochs.empty()) return false;
  // One epoch says nothing of the next.
  const std::size_t before = epochs.size() - std::max<std::size_t>(1, epochs.size() / 10);
  return before == 0 || epochs.back().score - epochs[before - 1].score > kWorthMore;
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
    case StopReason::little_to_gain:
      return "little more to gain";
    case StopReason::diverged:
      break;
  }
  return "diverged";
}

}  // namespace postrider
