// Which rows share a stored message, and in which order an epoch visits the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postrider/training.h"
#include "sweep/input_rows.h"
#include "sweep/layout.h"
#include "sweep/touched_weights.h"
#include "train/store.h"

namespace postrider::internal {

class Groups {
 public:
  // Groups these rows, by number.
  Groups(std::vector<std::uint32_t> rows, std::size_t group_size, TrainerOptions::Shuffle shuffle,
         std::uint64_t seed);

  std::size_t size() const { return (rows_.size() + group_size_ - 1) / group_size_; }
  std::span<const std::uint32_t> rows(std::size_t group) const;
  // A function of the seed and the epoch alone, so that training can go on from any epoch.
  std::vector<std::uint32_t> order(std::size_t epoch) const;

 private:
  std::vector<std::uint32_t> rows_;
  std::size_t group_size_;
  TrainerOptions::Shuffle shuffle_;
  std::uint64_t seed_;
};

// 0, 1, ..., count - 1.
std::vector<std::uint32_t> counted(std::size_t count);

// How large the messages of groups are. They are about the inputs that are not zero in all of a group's rows, of
// which larger groups have more.
struct MessageBytes {
  double others = 0;                // of all weights but those of inputs that may be zero
  double per_input = 0;             // of the first layer's weights for one input
  std::vector<double> shares = {};  // of each such input: the rows in which it is not zero

  // The bytes for a group of so many rows, on average over groups whose rows are drawn at random.
  double of_group(std::size_t rows) const;
};
// For networks whose messages have this shape and whose first layer is this one, that learn these rows.
template <class T>
MessageBytes message_bytes(const MessageShape& shape, const SweepLayer& first,
                           const InputRowsView<T>& inputs, std::span<const std::uint32_t> rows);
// The same for numbers of so many bytes, if no input is known to be zero.
MessageBytes message_bytes(const MessageShape& shape, std::size_t number_size);

// The smallest group size at which the messages of all groups fit into the budget, on average; at most `rows`.
std::size_t smallest_group(std::size_t rows, const MessageBytes& bytes, std::size_t budget);
// Unless asked for: of a network by itself, and of networks side by side.
inline constexpr std::size_t kBudgetAlone = std::size_t{320} << 20;
inline constexpr std::size_t kBudgetTogether = std::size_t{512} << 20;
// Networks with so many weights that packs of them leave the cache: from so many rows on, so many of them share a message at least, and so many are swept
// from one snapshot of the beliefs, unless something else is asked for. Weights are read once for all of these. Smaller networks need not: where noise is
// small it matters which rows are learned together (docs/design/trials.md).
inline constexpr std::size_t kManyRows = 3000, kSharedByMany = 16, kBlockOfMany = 8;
// As asked for, or by the rows, the weights and the budget.
std::size_t group_size_of(const TrainerOptions& options, std::size_t rows, std::size_t weights,
                          const MessageBytes& bytes, std::size_t usual_budget);

// Rows swept from one snapshot, as asked for or by the rows and weights; 0: by the size of the beliefs, see block_size().
std::size_t block_of(const TrainerOptions& options, std::size_t rows, std::size_t weights);

// The inputs of the first layer that each group's rows touch, with the bias, which is the last of them, if the
// layer has one.
template <class T>
InputLists input_lists(const Groups& groups, const InputRowsView<T>& inputs,
                       const SweepLayer& first);

}  // namespace postrider::internal
