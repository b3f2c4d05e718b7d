// What passes between those who hold rows and those who hold the sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "distributed/grid.h"
#include "distributed/packing.h"
#include "train/targets.h"

namespace postrider::internal {

// The place of a round within its epoch, in groups of all shards together: shards go through theirs at the same
// pace, each a little after the one before, so that any number of groups can be in flight.
struct Stretch {
  std::uint64_t begin = 0, end = 0;  // of all groups of the epoch
  std::uint64_t all = 0;

  struct Groups {
    std::size_t begin, end;
  };
  // Which groups those are in a shard with so many groups.
  Groups of_shard(std::size_t shard, std::size_t shards, std::size_t groups) const;
};

// Asks a shard to refresh some of its groups, for one member, from a snapshot of the belief that goes with it.
struct RoundRequest {
  std::uint64_t epoch = 1;
  Stretch stretch;
  std::uint64_t round = 1;  // its number
  std::uint64_t takes_back =
      0;                   // the changes of rounds from this one on are put back first; 0: none
  std::uint64_t seen = 0;  // examples learned before
  std::uint64_t noise_may_vary = 0;
  std::uint64_t may_be_taken_back = 1;  // messages are kept as they were before
  std::vector<double> noise;

  template <class T>
  Bytes packed(const WeightMessages<T>& belief) const;
  // Throws CorruptFile if the belief has another size.
  template <class T>
  static RoundRequest unpacked(std::span<const std::byte> bytes, WeightMessages<T>& belief);
};

// How well rows were predicted before they were learned, and what happened to them.
struct RoundStatistics {
  double log_likelihood = 0, squares = 0,
         targets = 0;  // sums over rows; squares of rows' log-likelihoods
  std::uint64_t rows = 0;
  std::uint64_t linearised = 0, silent = 0, guarded = 0, bounded = 0;
  std::uint64_t off_grid = 0;  // 1 + the number of a weight, if its message left the grid

  void add(const RoundStatistics& more);
};

// What a shard's rows say of score and noise at the end of an epoch.
struct EpochPart {
  Assessment assessment;
  double typical_noise = 0;

  void pack(Packer& to) const;
  static EpochPart unpacked(Unpacker& from);
};
// The parts of all shards, in their order.
Assessment joined(const std::vector<EpochPart>& parts);

}  // namespace postrider::internal
