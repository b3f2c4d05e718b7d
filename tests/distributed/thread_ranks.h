// Processes as threads: a communicator for tests, with losses on demand.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "postrider/distributed/training.h"

namespace postrider::distributed {

// What all ranks share. A rank that dies leaves; calls of the others then end with peer_lost until all that are left
// have recovered.
class ThreadRanks {
 public:
  explicit ThreadRanks(std::size_t size) : alive_(size, true), gifts_(size) {}

  // Deaths: calls(rank) counts; a rank dies where this says so.
  std::function<bool(std::size_t rank, std::size_t call)> dies;

  // Runs body(communicator) on each rank; returns when all have ended.
  void run(const std::function<void(Communicator&)>& body);

 private:
  class Rank;
  struct Died {};

  std::size_t living() const;
  // Whether all that live have met, and whether nobody was lost meanwhile.
  bool meet(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable met_;
  std::vector<bool> alive_;
  std::vector<std::vector<std::byte>> gifts_;
  std::size_t waiting_ = 0, recovering_ = 0, meeting_ = 0;
  bool is_broken_ = false;
};

}  // namespace postrider::distributed
