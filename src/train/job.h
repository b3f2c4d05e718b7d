// Networks that are trained in one call, each on rows of its own or on the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "postrider/network/network.h"
#include "postrider/network/trainer.h"
#include "train/training_rows.h"

namespace postrider::internal {

struct TrainingJob {
  network::Network& network;
  RowsToLearn rows;
  network::Trainer::Task task;
  std::uint64_t seed = 1;                        // of the order of its rows
  std::optional<double> damping = std::nullopt;  // in the place of the options'
  // Networks of one team are judged together, by the rows that any of them leaves out: they have the same noise, and stop
  // at the same epoch. Jobs of a team follow one another, and differ in their networks and in what they leave out alone.
  std::size_t team = 0;

  double damping_or(const TrainerOptions& options) const {
    return damping.value_or(options.damping);
  }
};

// What came of a job; if it never began, all is empty.
struct TrainingOutcome {
  FitReport report;
  std::vector<double> noise_variance;
  std::size_t seen = 0;  // examples learned, each epoch anew
  // What each row that it left out was predicted to be, in their order, after the epoch that counts. Empty where
  // that epoch was interrupted.
  network::Network::OutputMoments left_out = {};
};

inline constexpr std::size_t kAllEpochs = std::numeric_limits<std::size_t>::max();

// Networks that are trained together, in stretches: what they learn does not depend on where these end.
class TrainingRun {
 public:
  virtual ~TrainingRun() = default;
  // Until so many epochs in all are over, or until training ends.
  virtual void run(std::size_t epochs, const TrainingCallbacks& callbacks) = 0;
  // What came of each job so far. Its network has the beliefs that count by now.
  virtual std::vector<TrainingOutcome> outcomes() = 0;
};

}  // namespace postrider::internal
