// One member of an ensemble as its coordinator knows it: the sum of all messages, and how training went so far.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "distributed/grid.h"
#include "distributed/packing.h"
#include "distributed/round_request.h"
#include "distributed/shard.h"
#include "postrider/distributed/training.h"
#include "train/progress.h"
#include "train/rebuild.h"
#include "train/stopping.h"

namespace postrider::internal {

template <class T>
struct MemberSum {
  MemberSum(const WeightMessages<T>& prior, const std::vector<double>& noise)
      : grid(prior),
        sums(2 * prior.size()),
        belief(prior),
        progress(Progress<T>::beginning(noise, prior)) {}

  // Adds a change, which is empty if no shard had a group in the round; false if there is a belief then that is
  // none, and nothing was added.
  bool add(const UnitSums& change) {
    if (change.empty()) return true;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += change[k];
    grid.belief(sums, belief);
    if (is_sound(belief)) return true;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] -= change[k];
    grid.belief(sums, belief);
    return false;
  }

  // The same, with a change that was added before.
  bool take_out(UnitSums change) {
    for (std::int64_t& number : change) number = -number;
    return add(change);
  }

  void pack(Packer& to) const {
    to.add(sums);
    to.add(seen);
    to.add(reason);
    to.add(static_cast<std::uint64_t>(progress.epoch));
    to.add(static_cast<std::uint64_t>(progress.best_epoch));
    to.add(progress.best_score);
    to.add(progress.noise);
    to.add(progress.best_noise);
    to.add(progress.best.tau);
    to.add(progress.best.rho);
    to.add(static_cast<std::uint64_t>(progress.epochs.size()));
    for (const EpochReport& epoch : progress.epochs) pack_report(epoch, to);
  }

  void load(Unpacker& from) {
    from.read_to(std::span(sums));
    seen = from.read<std::uint64_t>();
    reason = from.read<FitReport::StopReason>();
    progress.epoch = static_cast<std::size_t>(from.read<std::uint64_t>());
    progress.best_epoch = static_cast<std::size_t>(from.read<std::uint64_t>());
    progress.best_score = from.read<double>();
    from.read_to(std::span(progress.noise));
    from.read_to(std::span(progress.best_noise));
    from.read_to(std::span(progress.best.tau));
    from.read_to(std::span(progress.best.rho));
    progress.epochs.clear();
    for (auto left = from.read<std::uint64_t>(); left > 0; --left)
      progress.epochs.push_back(read_report(from));
    grid.belief(sums, belief);
    if (!is_sound(belief) || !is_sound(progress.best)) from.fail("a belief of it is not proper");
    of_epoch = {};
  }

  // Before the first epoch, with beliefs that were learned elsewhere: whoever is best is decided from here on. False
  // if they are not proper.
  bool begin_with(const UnitSums& learned, const std::vector<double>& noise, std::uint64_t rows) {
    if (!add(learned)) return false;
    progress = Progress<T>::beginning(noise, belief);
    seen = rows;
    return true;
  }

  Grid<T> grid;
  UnitSums sums;
  WeightMessages<T> belief;
  Progress<T> progress;
  std::uint64_t seen = 0;
  bool is_running = true;
  FitReport::StopReason reason = FitReport::StopReason::max_epochs;
  RoundStatistics of_epoch;  // the running one's

 private:
  static void pack_report(const EpochReport& epoch, Packer& to) {
    for (const std::size_t count : {epoch.epoch, epoch.member, epoch.best_epoch, epoch.linearised,
                                    epoch.silent, epoch.bounded, epoch.guarded, epoch.max_epochs})
      to.add(static_cast<std::uint64_t>(count));
    for (const double number :
         {epoch.score, epoch.score_error, epoch.typical_noise_variance, epoch.seconds})
      to.add(number);
    to.add(epoch.noise_variance);
  }
  static EpochReport read_report(Unpacker& from) {
    EpochReport out;
    for (std::size_t* const count : {&out.epoch, &out.member, &out.best_epoch, &out.linearised,
                                     &out.silent, &out.bounded, &out.guarded, &out.max_epochs})
      *count = static_cast<std::size_t>(from.read<std::uint64_t>());
    for (double* const number :
         {&out.score, &out.score_error, &out.typical_noise_variance, &out.seconds})
      *number = from.read<double>();
    out.noise_variance = from.read_all<double>();
    return out;
  }
};

// --- Who holds the sum: which rounds there are, what they start from, and what becomes of their results.
//
// Every process may hold one of its own: the same results lead to the same steps.

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
