#include "sparse/weight_table.h"

#include <cstdlib>
#include <new>

#include "base/check.h"

namespace postrider::internal::hashed {
namespace {

// Smaller pieces would waste much of their last page.
constexpr std::size_t kMapped = std::size_t{1} << 18;

}  // namespace

SlotMemory::SlotMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes < kMapped) {
    memory_ = std::calloc(bytes, 1);
    if (memory_ == nullptr) throw std::bad_alloc();
    return;
  }
  pages_ = std::make_unique<ZeroPages>(bytes);
  memory_ = pages_->address();
}

SlotMemory::~SlotMemory() {
  if (!pages_) std::free(memory_);
}

namespace {

constexpr std::size_t kLeastSlots = 4;
// Smaller segments double, since growing them by a fifth would be mostly copying.
constexpr std::size_t kDoubleUntil = 128;

}  // namespace

template <class Value>
BeliefTable<Value>::BeliefTable(std::size_t width)
    : width_(width), words_(2 + 2 * width * sizeof(Value) / sizeof(std::uint32_t)) {
  check(width > 0, "a weight has at least one belief");
}

template <class Value>
typename BeliefTable<Value>::Found BeliefTable<Value>::find_or_add(
    std::uint64_t key, std::span<const Value> variances) {
  Segment& segment = segments_[segment_of(spread(key))];
  if (segment.capacity > 0) {
    std::uint32_t* const slot = probe(segment, key);
    if (!is_empty(slot)) return {beliefs_of(slot), false};
  }
  if (is_full(segment.size + 1, segment.capacity)) rebuild(segment, grown(segment.capacity));
  std::uint32_t* const slot = probe(segment, key);
  std::memcpy(slot, &key, sizeof key);
  Value* const beliefs = beliefs_of(slot);
  std::copy(variances.begin(), variances.end(), beliefs + width_);
  ++segment.size;
  ++size_;
  return {beliefs, true};
}

template <class Value>
std::size_t BeliefTable<Value>::grown(std::size_t capacity) const {
  if (capacity < kLeastSlots) return kLeastSlots;
  if (capacity < kDoubleUntil) return 2 * capacity;
  return capacity + capacity / (width_ == 1 ? 5 : 2);
}

template <class Value>
std::size_t BeliefTable<Value>::capacity_for(std::size_t size) const {
  std::size_t capacity = 0;
  while (is_full(size, capacity)) capacity = grown(capacity);
  return capacity;
}

template <class Value>
void BeliefTable<Value>::rebuild(Segment& segment, std::size_t capacity) {
  Segment fresh{SlotMemory(capacity * words_ * sizeof(std::uint32_t)), capacity, 0};
  bytes_ += fresh.slots.bytes();
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  for (std::size_t k = 0; k < segment.capacity; ++k) {
    std::uint32_t* const slot = segment.slots.words() + k * words_;
    if (is_empty(slot) || beliefs_of(slot)[width_] == kDropped) continue;
    std::memcpy(probe(fresh, key_of(slot)), slot, words_ * sizeof(std::uint32_t));
    ++fresh.size;
  }
  bytes_ -= segment.slots.bytes();
  size_ -= segment.size - fresh.size;
  segment = std::move(fresh);
  ++generation_;
}

template class BeliefTable<float>;
template class BeliefTable<std::int64_t>;

}  // namespace postrider::internal::hashed
