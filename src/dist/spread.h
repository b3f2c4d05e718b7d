// Training by all processes of a communicator: who holds which shards, rounds and sums, checkpoints, and going on
// after a loss.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/workers.h"
#include "dist/checkpoint.h"
#include "dist/coordinator.h"

namespace postrider {

// As training that is spread takes them: one network unless asked for more, and one way to learn.
EstimatorOptions spread_options(const EstimatorOptions& options);

class Spread {
 public:
  // Makes a shard from its rows, on the process that holds it.
  using MakeShard = std::function<std::unique_ptr<Shard>(std::size_t shard)>;

  Spread(EstimatorState& state, std::size_t shards, MakeShard make,
         const DistributedOptions& options, Communicator& processes);

  DistributedReport fit(const TrainingCallbacks& callbacks);

 private:
  class Lost {};  // a process

  void expect(Communication outcome);
  bool holds(std::size_t shard) const { return shard % processes_.size() == processes_.rank(); }
  void begin();
  void go_on_from_checkpoint();
  void train(const TrainingCallbacks& callbacks);
  void run(const Step& step);
  std::vector<Bytes> gathered(std::size_t count, const std::map<std::size_t, Bytes>& own);
  void save(const TrainingCallbacks& callbacks);
  bool tell(const TrainingCallbacks& callbacks);

  EstimatorState& state_;
  EstimatorState spread_;  // the same with the options of training that is spread
  std::size_t shards_;
  MakeShard make_;
  DistributedOptions options_;
  Communicator& processes_;
  Workers workers_;
  TrainingPlan plan_;
  std::map<std::size_t, std::unique_ptr<Shard>> own_;
  std::unique_ptr<Coordinator> coordinator_;
  std::optional<CheckpointFolder> folder_;
  std::uint64_t epochs_ = 0, told_ = 0, recoveries_ = 0;
};

}  // namespace postrider
