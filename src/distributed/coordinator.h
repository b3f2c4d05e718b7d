// Who holds the sum: which rounds there are, what they start from, and what becomes of their results.
//
// Every process may hold one of its own: the same results lead to the same steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "distributed/round_request.h"
#include "distributed/shard.h"
#include "postrider/distributed/training.h"

namespace postrider::internal {

struct ShardTask {
  std::size_t shard, member;
};

// Tasks that do not wait for each other.
struct Step {
  enum class Kind : std::uint8_t { round, close };
  Kind kind = Kind::round;
  std::vector<ShardTask> tasks;
  std::vector<Bytes> requests;  // of a round, by member; empty where a member has no task
  std::vector<std::vector<double>> noise;  // of an epoch's end, by member
};

// The same, of which requests lie elsewhere.
struct StepView {
  Step::Kind kind;
  std::vector<ShardTask> tasks;
  std::vector<std::span<const std::byte>> requests;
  std::vector<std::vector<double>> noise;
};

// What a task has found: its change of the sum goes to the sums, which anybody may add up; the rest is small.
Bytes run_task(Shard& shard, const StepView& step, const ShardTask& task,
               std::span<std::int64_t> change);

// What another coordinator has saved.
struct SavedRun {
  std::span<const std::byte> bytes;
  std::string source;  // its name
  double rows;
};

class Coordinator {
 public:
  virtual ~Coordinator() = default;

  // What to do next; none once training has ended.
  virtual std::optional<Step> next() const = 0;
  // The results of the step that next() has told: by member the sums of all its tasks' changes, of which those of members without
  // tasks are empty, and for each task what run_task() returned. Throws Error if a message left the grid and no
  // smaller round helps.
  virtual void accept(const Step& step, std::vector<UnitSums> changes,
                      std::span<const Bytes> results) = 0;

  // Since the last call: the reports of members whose epoch was closed by the last step.
  virtual std::vector<EpochReport> take_reports() = 0;
  // Whether the last step was the end of an epoch: stored messages and sums agree, and nothing is in flight.
  virtual bool is_between_epochs() const = 0;
  virtual void cancel() = 0;

  virtual Bytes saved() const = 0;
  // Takes what another one with the same plan saved. `sums` were recomputed from the shards: throws CorruptFile if they are
  // not those that were saved.
  virtual void load(std::span<const std::byte> bytes, const std::string& source,
                    const std::vector<UnitSums>& sums) = 0;

  // Begins where these have ended, all of them together. `sums` were recomputed from the shards: throws CorruptFile if
  // they are not those that were saved, Error if beliefs are not proper together.
  virtual void merge(std::span<const SavedRun> runs, const std::vector<UnitSums>& sums) = 0;

  // Goes on without these shards, whose messages have these sums, by member.
  virtual void forget(std::span<const std::size_t> shards, const std::vector<UnitSums>& sums) = 0;

  // The beliefs of the best epochs.
  virtual void conclude(FittedModel& model, distributed::DistributedReport& report) const = 0;
};

std::unique_ptr<Coordinator> make_coordinator(const EstimatorState& state, const TrainingPlan& plan,
                                              const distributed::DistributedOptions& options);

}  // namespace postrider::internal
