// Which rows share a stored message, and in which order an epoch visits the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postrider/trainer.h"

namespace postrider {

class Groups {
 public:
  // Of these rows, by number.
  Groups(std::vector<std::uint32_t> rows, std::size_t group_size, Shuffle shuffle,
         std::uint64_t seed);

  std::size_t size() const { return (rows_.size() + group_size_ - 1) / group_size_; }
  std::span<const std::uint32_t> rows(std::size_t group) const;
  // A function of the seed and the epoch alone, so that training can go on from any epoch.
  std::vector<std::uint32_t> order(std::size_t epoch) const;

 private:
  std::vector<std::uint32_t> rows_;
  std::size_t group_size_;
  Shuffle shuffle_;
  std::uint64_t seed_;
};

// 0, 1, ..., count - 1.
std::vector<std::uint32_t> counted(std::size_t count);

// The smallest group size at which the messages of all groups fit into the budget; at most `rows`.
std::size_t smallest_group(std::size_t rows, std::size_t bytes_per_message, std::size_t budget);
// As asked for, or that one.
std::size_t group_size_of(const TrainerOptions& options, std::size_t rows,
                          std::size_t bytes_per_message);

}  // namespace postrider
