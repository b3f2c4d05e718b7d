// Training by all processes of a communicator, each with a holder and a driver of its own: who holds which shards,
// sums, checkpoints, and going on after a loss.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "postrider/distributed/parts.h"

namespace postrider::internal {

class DistributedTraining {
 public:
  struct Parts {
    std::function<distributed::ShardHolder()> holder;
    std::function<distributed::DistributedDriver(
        std::span<const distributed::ByteString> summaries)>
        driver;
    std::function<void(distributed::ShardHolder&, std::size_t shard)> hold;  // lets it hold a shard
  };

  DistributedTraining(Parts parts, std::size_t shards,
                      const distributed::DistributedOptions& options, unsigned threads,
                      distributed::Communicator& processes);

  distributed::DistributedReport fit(const TrainingCallbacks& callbacks);

 private:
  class Lost {};  // a process

  void expect(distributed::Communication outcome);
  std::vector<distributed::ByteString> gathered(std::span<const std::byte> own);
  void begin();
  bool go_on_from_checkpoint();  // whether there was one
  void merge();
  void forget(std::size_t sum_size);
  void train(const TrainingCallbacks& callbacks);
  bool saves_by_time() const;
  bool tell(const TrainingCallbacks& callbacks);
  void save(const TrainingCallbacks& callbacks);

  Parts parts_;
  std::size_t shards_;
  distributed::DistributedOptions options_;
  unsigned threads_;
  distributed::Communicator& processes_;
  distributed::ShardHolder holder_;
  std::optional<distributed::DistributedDriver> driver_;
  std::map<std::size_t, std::size_t> told_;  // epochs, of each member
  std::uint64_t reached_ = 0, recoveries_ = 0;
};

}  // namespace postrider::internal
