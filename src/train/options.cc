#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "postrider/error.h"
#include "postrider/network/trainer.h"
#include "postrider/time_budget.h"
#include "sweep/workspace.h"
#include "train/option_table.h"

namespace postrider {
using namespace internal;
namespace {

// The most that a variance may grow per row: far beyond all that a standardised output needs.
constexpr double kMostWalk = 1e6;

}  // namespace

void TrainerOptions::validate(OptionInfo::Spelling spelling) const {
  expect_options(training_option_rows(), *this, spelling);
  if (store == TrainerOptions::Store::mapped_file && store_path.empty())
    reject("store_path", store_path, "must name a file for the mapped store");
  if (block != 0 && block != 1 && block != 2 && block != 4 && block != kLargestBlock)
    reject("block", block, "must be 1, 2, 4 or 8, or 0 to choose by the network's size");
  if (resume && checkpoint.empty()) reject("resume", "yes", "needs a checkpoint to go on from");
}

std::size_t epoch_budget(std::size_t rows) {
  constexpr std::size_t kRows = 400000, kMost = 400, kLeast = 40;
  return std::clamp(kRows / std::max<std::size_t>(1, rows), kLeast, kMost);
}

void network::Trainer::Task::validate() const {
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
  if (reason != FitReport::StopReason::max_epochs || epochs.empty()) return false;
  // One epoch says nothing of the next.
  const std::size_t before = epochs.size() - std::max<std::size_t>(1, epochs.size() / 10);
  return before == 0 || epochs.back().score - epochs[before - 1].score > kWorthMore;
}

std::string_view to_string(FitReport::StopReason reason) {
  switch (reason) {
    case FitReport::StopReason::converged:
      return "converged";
    case FitReport::StopReason::patience:
      return "no better score";
    case FitReport::StopReason::max_epochs:
      return "largest number of epochs";
    case FitReport::StopReason::cancelled:
      return "cancelled";
    case FitReport::StopReason::little_to_gain:
      return "little more to gain";
    case FitReport::StopReason::diverged:
      break;
  }
  return "diverged";
}

}  // namespace postrider

namespace postrider::internal {
namespace {

std::size_t chosen_epochs(TrainerOptions::Effort effort, std::size_t rows) {
  const double chosen = rules_of(effort).budget_share * static_cast<double>(epoch_budget(rows));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(chosen)));
}

// Many rows are learned in few epochs, and those take long: as many epochs as visit this number of rows, at most.
std::size_t bounded_by_rows(std::size_t epochs, TrainerOptions::Effort effort, std::size_t rows) {
  constexpr double kRowsVisited = 200000;
  constexpr std::size_t kLeast = 3;
  const double found = rules_of(effort).budget_share * kRowsVisited /
                       static_cast<double>(std::max<std::size_t>(1, rows));
  return std::min(epochs, std::max(kLeast, static_cast<std::size_t>(found)));
}

}  // namespace

// Scores rise and fall with the noise while that is learned, in the first tens of epochs: whoever asks
// earlier whether more is worth it ends some trainings too early.
EffortRules rules_of(TrainerOptions::Effort effort) {
  switch (effort) {
    case TrainerOptions::Effort::quick:
      return {6, 16, 0.01, 0.25};
    case TrainerOptions::Effort::thorough:
      return {60, 200, 0.0005, 2.5};
    case TrainerOptions::Effort::standard:
      break;
  }
  return {30, 100, 0.002, 1};
}

std::size_t most_epochs(const TrainerOptions& options, std::size_t rows) {
  return options.max_epochs > 0 ? options.max_epochs : chosen_epochs(options.effort, rows);
}

std::size_t patience_of(const TrainerOptions& options, std::size_t rows) {
  if (options.patience > 0) return options.patience;
  return bounded_by_rows(rules_of(options.effort).patience, options.effort, rows);
}

std::size_t fewest_epochs(const TrainerOptions& options, std::size_t rows) {
  const std::size_t chosen =
      bounded_by_rows(rules_of(options.effort).fewest_epochs, options.effort, rows);
  return std::max(chosen, patience_of(options, rows));
}

}  // namespace postrider::internal

namespace postrider {
TimeBudget::TimeBudget(double seconds) {
  constexpr double kForever = 1e9;
  if (!(seconds > 0)) reject("time_budget", seconds, "must be a number of seconds above 0");
  const auto time = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kForever)));
  const Clock::time_point now = Clock::now();
  half_ = now + time / 2;
  end_ = now + time;
}

double TimeBudget::seconds_left() const {
  if (end_ == Clock::time_point::max()) return std::numeric_limits<double>::infinity();
  return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
}

TrainingCallbacks TimeBudget::limiting(TrainingCallbacks callbacks) const {
  if (end_ == Clock::time_point::max()) return callbacks;
  const auto has_epoch = std::make_shared<std::atomic<bool>>(false);
  TrainingCallbacks out = callbacks;
  out.progress = [self = *this, has_epoch,
                  told = std::move(callbacks.progress)](const EpochReport& report) {
    *has_epoch = true;
    return (!told || told(report)) && !self.is_over();
  };
  out.interrupted = [self = *this, has_epoch, is_asked = std::move(callbacks.interrupted)] {
    return (is_asked && is_asked()) || (*has_epoch && self.is_over());
  };
  out.ends_choosing = [half = half_, is_asked = std::move(callbacks.ends_choosing)] {
    return (is_asked && is_asked()) || Clock::now() >= half;
  };
  out.ends_first_epoch = [self = *this, is_asked = std::move(callbacks.ends_first_epoch)] {
    return (is_asked && is_asked()) || self.is_over();
  };
  return out;
}

}  // namespace postrider
