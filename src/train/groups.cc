#include "train/groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/shuffle.h"

namespace postrider {
namespace {

// Streams of the seed: the rows' own, then one per epoch.
constexpr std::uint64_t kRowStream = 1, kFirstEpochStream = 2;

void shuffle_by(std::uint64_t seed, std::uint64_t stream, std::vector<std::uint32_t>& values) {
  RandomStream random(seed, stream);
  shuffle_in_place(values, random);
}

}  // namespace

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

Groups::Groups(std::vector<std::uint32_t> rows, std::size_t group_size, Shuffle shuffle,
               std::uint64_t seed)
    : rows_(std::move(rows)), group_size_(group_size), shuffle_(shuffle), seed_(seed) {
  if (shuffle != Shuffle::none) shuffle_by(seed, kRowStream, rows_);
}

std::span<const std::uint32_t> Groups::rows(std::size_t group) const {
  const std::size_t first = group * group_size_;
  return std::span(rows_).subspan(first, std::min(group_size_, rows_.size() - first));
}

std::vector<std::uint32_t> Groups::order(std::size_t epoch) const {
  std::vector<std::uint32_t> out = counted(size());
  if (shuffle_ == Shuffle::every_epoch) shuffle_by(seed_, kFirstEpochStream + epoch, out);
  return out;
}

std::size_t smallest_group(std::size_t rows, std::size_t bytes_per_message, std::size_t budget) {
  const std::size_t groups = std::max<std::size_t>(1, budget / bytes_per_message);
  return std::max<std::size_t>(1, (rows + groups - 1) / groups);
}

std::size_t group_size_of(const TrainerOptions& options, std::size_t rows,
                          std::size_t bytes_per_message) {
  if (options.group_size > 0) return std::min(options.group_size, rows);
  return smallest_group(rows, bytes_per_message, options.store_budget);
}

}  // namespace postrider
