// Training that is spread over threads, processes and machines.
//
// Rows are dealt to shards, which keep their messages; one sum makes them agree. The result depends on the shards,
// never on how many processes hold them, where, or in which order they work: the model is the same to the byte.
// docs/distributed.md has recipes, docs/scale.md says who needs this.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "postrider/estimator.h"
#include "postrider/export.h"
#include "postrider/inputs.h"

namespace postrider::distributed {

struct POSTRIDER_EXPORT DistributedOptions {
  // Rows are dealt to so many shards, one after another; the result depends on it. More of them can be spread over
  // more processes.
  std::size_t shards = 4;
  // The share of the rows that are learned between two sums, at most. Beyond one in a hundred beliefs overshoot;
  // where they do, fewer are.
  double rows_in_flight = 0.01;
  // A folder that all processes see. If a process is lost the others go on from here, or from the beginning.
  std::string checkpoint = {};
  std::size_t checkpoint_every = 1;  // epochs; 0: by time, in at most 5 % of it
  bool resume = false;               // goes on from the checkpoint if there is one
  // In a run that is resumed: what these shards have said is taken out, and the others are refreshed. Scales and the
  // shape of the network stay as they were chosen, and no checkpoint is written.
  std::vector<std::size_t> forget = {};

  // Checkpoints of runs that were trained separately, with the same options and seed: training begins with what all
  // of them have learned. The shards of this run are those of the first folder, then those of the next; any beyond
  // them are new. Scales are those of all rows, so that what was learned is near to what is to be learned, and no more.
  std::vector<std::string> merge = {};

  void validate() const;  // throws InvalidArgument
};

struct DistributedReport {
  std::vector<FitReport> fits;   // of each member
  std::uint64_t rounds = 0;      // sums
  std::uint64_t taken_back = 0;  // rounds whose results made no sense, and were not used
  std::uint64_t halved = 0;      // how often the rows in flight were halved
  double rows_in_flight = 0;     // the share in the end
  std::uint64_t recoveries = 0;  // processes that were lost, and whose shards others took over
};

// Processes that work together. Each call is made by all of them, in the same order, and ends after a deadline that
// the implementation has.
class POSTRIDER_EXPORT Communicator {
 public:
  // What a call between processes came to. After anything but `done` no process may use the communicator until all
  // that are left have called recover().
  enum class Outcome { done, peer_lost, deadline };

  virtual ~Communicator() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // Each number becomes the sum over all processes.
  virtual Outcome sum(std::span<std::int64_t> numbers) = 0;
  // What every process has given, by rank.
  virtual Outcome gather(std::span<const std::byte> own,
                         std::vector<std::vector<std::byte>>& all) = 0;
  // Goes on with those that are left, whose ranks are new. False if that is not possible.
  virtual bool recover() { return false; }
};

// One process: its threads do all.
class POSTRIDER_EXPORT LocalCommunicator : public Communicator {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  Communicator::Outcome sum(std::span<std::int64_t>) override {
    return Communicator::Outcome::done;
  }
  Communicator::Outcome gather(std::span<const std::byte> own,
                               std::vector<std::vector<std::byte>>& all) override;
};

// Rows of a shard. A process asks for those it holds, and again for others if their process is lost.
struct Shards {
  std::size_t count = 0;
  std::function<Examples(std::size_t shard)> rows;
};
// Shards of rows that are in memory: dealt one stretch after another.
POSTRIDER_EXPORT Shards shards_of(const Examples& rows, std::size_t shards);

// As fit(), by all processes of the communicator together; each ends with the same model. A network that is not
// asked for otherwise is one; several members visit the shards in turn. Nothing is held out to set the temperature
// of a classifier. Throws InvalidArgument, Error if a peer was lost and could not be replaced.
POSTRIDER_EXPORT DistributedReport fit_distributed(Estimator& model, const Shards& rows,
                                                   const DistributedOptions& options,
                                                   Communicator& processes,
                                                   const TrainingCallbacks& callbacks = {});

}  // namespace postrider::distributed
