#include "train/groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/shuffle.h"
#include "sweep/layout.h"

namespace postrider::internal {
namespace {

// Streams of the seed: the rows' own, then one per epoch.
constexpr std::uint64_t kRowStream = 1, kFirstEpochStream = 2;

void shuffle_by(std::uint64_t seed, std::uint64_t stream, std::vector<std::uint32_t>& values) {
  RandomStream random(seed, stream);
  shuffle_in_place(values, random);
}

bool are_swept_in_blocks(std::size_t rows, std::size_t weights) {
  return rows >= kManyRows && !fits_the_cache_in_packs(weights);
}

}  // namespace

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

Groups::Groups(std::vector<std::uint32_t> rows, std::size_t group_size,
               TrainerOptions::Shuffle shuffle, std::uint64_t seed)
    : rows_(std::move(rows)), group_size_(group_size), shuffle_(shuffle), seed_(seed) {
  if (shuffle != TrainerOptions::Shuffle::none) shuffle_by(seed, kRowStream, rows_);
}

std::span<const std::uint32_t> Groups::rows(std::size_t group) const {
  const std::size_t first = group * group_size_;
  return std::span(rows_).subspan(first, std::min(group_size_, rows_.size() - first));
}

std::vector<std::uint32_t> Groups::order(std::size_t epoch) const {
  std::vector<std::uint32_t> out = counted(size());
  if (shuffle_ == TrainerOptions::Shuffle::every_epoch)
    shuffle_by(seed_, kFirstEpochStream + epoch, out);
  return out;
}

double MessageBytes::of_group(std::size_t rows) const {
  double inputs = 0;
  for (const double share : shares)
    inputs += rows == 1 ? share : 1 - std::pow(1 - share, static_cast<double>(rows));
  return others + per_input * inputs;
}

template <class T>
MessageBytes message_bytes(const MessageShape& shape, const SweepLayer& first,
                           const InputRowsView<T>& inputs, std::span<const std::uint32_t> rows) {
  if (!shape.can_be_sparse()) return message_bytes(shape, sizeof(T));
  std::vector<std::size_t> counts(shape.inputs);
  for (const std::uint32_t row : rows)
    for (const std::uint32_t column : inputs.row(row).columns) ++counts[column];
  if (first.bias) counts[first.inputs] = rows.size();
  MessageBytes out{static_cast<double>(2 * shape.others * sizeof(T)),
                   static_cast<double>(2 * shape.blocks * shape.width * sizeof(T))};
  const auto all = static_cast<double>(rows.size());
  for (const std::size_t count : counts) out.shares.push_back(static_cast<double>(count) / all);
  return out;
}

MessageBytes message_bytes(const MessageShape& shape, std::size_t number_size) {
  return {static_cast<double>(2 * shape.all() * number_size)};
}

// A group's message grows more slowly than the group, so that the larger the groups, the less there is to store.
std::size_t smallest_group(std::size_t rows, const MessageBytes& bytes, std::size_t budget) {
  const auto fits = [&](std::size_t size) {
    const auto groups = static_cast<double>((rows + size - 1) / size);
    return groups * bytes.of_group(size) <= static_cast<double>(budget);
  };
  if (rows <= 1 || fits(1)) return 1;
  std::size_t too_small = 1, size = 2;
  for (; size < rows && !fits(size); size *= 2) too_small = size;
  size = std::min(size, rows);
  while (size - too_small > 1) {
    const std::size_t middle = too_small + (size - too_small) / 2;
    (fits(middle) ? size : too_small) = middle;
  }
  return size;
}

std::size_t group_size_of(const TrainerOptions& options, std::size_t rows, std::size_t weights,
                          const MessageBytes& bytes, std::size_t usual_budget) {
  if (options.group_size > 0) return std::min(options.group_size, rows);
  const std::size_t fits =
      smallest_group(rows, bytes, options.store_budget > 0 ? options.store_budget : usual_budget);
  if (options.store_budget > 0 || !are_swept_in_blocks(rows, weights)) return fits;
  const std::size_t whole_blocks = (fits + kBlockOfMany - 1) / kBlockOfMany * kBlockOfMany;
  return std::min(rows, std::max(kSharedByMany, whole_blocks));
}

std::size_t block_of(const TrainerOptions& options, std::size_t rows, std::size_t weights) {
  return options.block == 0 && are_swept_in_blocks(rows, weights) ? kBlockOfMany : options.block;
}

template <class T>
InputLists input_lists(const Groups& groups, const InputRowsView<T>& inputs,
                       const SweepLayer& first) {
  InputLists out;
  ActiveColumns touched;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    touched.begin(groups.rows(group).size());
    for (const std::uint32_t row : groups.rows(group)) touched.add(inputs.row(row).columns);
    if (first.bias) touched.add_last(first.inputs);
    out.add(touched.columns());
  }
  return out;
}

template MessageBytes message_bytes(const MessageShape&, const SweepLayer&,
                                    const InputRowsView<float>&, std::span<const std::uint32_t>);
template MessageBytes message_bytes(const MessageShape&, const SweepLayer&,
                                    const InputRowsView<double>&, std::span<const std::uint32_t>);
template InputLists input_lists(const Groups&, const InputRowsView<float>&, const SweepLayer&);
template InputLists input_lists(const Groups&, const InputRowsView<double>&, const SweepLayer&);

}  // namespace postrider::internal
