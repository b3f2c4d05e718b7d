// What one epoch does to the beliefs of networks that are trained together. Everything around epochs is the driver's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "train/job.h"
#include "train/progress.h"
#include "train/store.h"
#include "train/training_lane.h"

namespace postrider::internal {

// What an epoch reads and writes.
template <class T>
struct EngineArrays {
  const WeightMessages<T>& prior;
  WeightMessages<T>& belief;
  MessageStore<T>& store;
  Workers& workers;
  // Networks whose numbers lie side by side in these, also in lanes that no network is in.
  std::size_t side_by_side = 1;
  std::size_t group_size = 1;     // rows that share a stored message
  std::size_t rebuild_every = 1;  // epochs
};

// One network, swept across its units, or a pack, swept across networks. Its beliefs begin at the priors.
template <class T>
class EpochEngine {
 public:
  explicit EpochEngine(TrainingLanes<T> lanes) : lanes_(std::move(lanes)) {}
  virtual ~EpochEngine() = default;

  TrainingLanes<T>& lanes() { return lanes_; }
  virtual EngineArrays<T> arrays() = 0;  // the same ones at all times
  // A lane of such beliefs, in its network's order.
  virtual void copy(const WeightMessages<T>& from, std::size_t lane,
                    WeightMessages<T>& to) const = 0;

  // From now on this network learns all rows, also those that it left out. False if it cannot.
  virtual bool learn_all_rows(std::size_t /*lane*/) { return false; }

  // Each network learns with its present noise.
  virtual void begin_epoch(std::size_t epoch, std::span<const Progress<T>> progress) = 0;
  // Refreshes the next groups of an epoch, which has learned so many before.
  virtual void refresh(std::span<const std::uint32_t> order, std::size_t done) = 0;
  // After an epoch, how well each network that is running predicts. Counts events in the lanes' reports.
  virtual std::vector<Assessment> assess(std::span<const Progress<T>> progress,
                                         std::span<const double> drift) = 0;
  // How well the rows that are learned are predicted; for TrainerOptions::Stopping::paper, which packs do not follow.
  virtual double training_score(const std::vector<double>& /*noise*/) { return 0; }

 protected:
  TrainingLanes<T> lanes_;
};

// --- Epochs of networks that are trained together: when each network stops, what is kept of it, and checkpoints.

// Goes on from the checkpoint of that name, or else from the options' if they ask for it and it is there.
template <class T>
std::unique_ptr<TrainingRun> begin_epochs(std::unique_ptr<EpochEngine<T>> engine,
                                          const TrainerOptions& options,
                                          const std::string& resume_from = {});

}  // namespace postrider::internal
