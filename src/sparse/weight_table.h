// Zeroed memory that goes back to the system as soon as it is given up: a table that grows segment by segment must not
// leave behind what an allocator keeps for later.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/zero_pages.h"

namespace postrider::internal::hashed {

class SlotMemory {
 public:
  SlotMemory() = default;
  explicit SlotMemory(std::size_t bytes);  // throws std::bad_alloc
  ~SlotMemory();
  SlotMemory(SlotMemory&& other) noexcept { swap(other); }
  SlotMemory& operator=(SlotMemory&& other) noexcept {
    swap(other);
    return *this;
  }

  std::uint32_t* words() const { return static_cast<std::uint32_t*>(memory_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(SlotMemory& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(pages_, other.pages_);
  }

  std::unique_ptr<ZeroPages> pages_;  // which have the memory, unless it is small
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// --- Beliefs in weights by the 64-bit hash of what they belong to. A weight is here once it was touched; of all others the prior is
// known without a slot.
//
// A slot has the key and, of each of `width` models side by side, a mean and a variance: 16 bytes for one model. Slots are in 256
// segments by the key's first bits, each an open-addressing table of its own that grows by a fifth when it is 85 % full, so that
// at least 70 % of all slots are used once a segment has a few hundred, and one segment at a time is there twice. Slots of several
// models are long to walk over, and there are never many: their segments grow by half when they are 60 % full.
//
// With whole numbers instead of floats a slot has sums of natural parameters: those of tau, then those of rho.

template <class Value>
class BeliefTable {
 public:
  explicit BeliefTable(std::size_t width);

  std::size_t width() const { return width_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return bytes_; }            // of all slots
  std::size_t peak_bytes() const { return peak_bytes_; }  // the most ever, while growing
  // Pointers to beliefs hold until this number changes.
  std::uint64_t generation() const { return generation_; }

  void prefetch(std::uint64_t key) const {
    const Segment& segment = segments_[segment_of(spread(key))];
    if (segment.capacity > 0)
      __builtin_prefetch(segment.slots.words() + home_of(spread(key), segment.capacity) * words_);
  }

  // The means of a weight, then its variances; nullptr if it was never touched.
  const Value* find(std::uint64_t key) const {
    const Segment& segment = segments_[segment_of(spread(key))];
    if (segment.capacity == 0) return nullptr;
    std::uint32_t* const slot = probe(segment, key);
    return is_empty(slot) ? nullptr : beliefs_of(slot);
  }

  struct Found {
    Value* beliefs;
    bool added;
  };
  // The same; a new weight has means of 0 and these variances, all above 0.
  Found find_or_add(std::uint64_t key, std::span<const Value> variances);

  // Calls do(key, beliefs) for each weight, in an order that depends on the keys alone.
  template <class Do>
  void for_each(Do&& act) const {
    std::vector<std::pair<std::uint64_t, Value*>> sorted;
    for (const Segment& segment : segments_) {
      sorted.clear();
      for (std::size_t k = 0; k < segment.capacity; ++k) {
        std::uint32_t* const slot = segment.slots.words() + k * words_;
        if (!is_empty(slot)) sorted.emplace_back(key_of(slot), beliefs_of(slot));
      }
      std::sort(sorted.begin(), sorted.end());
      for (const auto& [key, beliefs] : sorted) act(key, beliefs);
    }
  }

  // Drops the weights for which keep(key, beliefs) is false, and gives up their memory; returns how many.
  template <class Keep>
  std::size_t keep_if(Keep&& keep) {
    const std::size_t before = size_;
    for (Segment& segment : segments_) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k < segment.capacity; ++k) {
        std::uint32_t* const slot = segment.slots.words() + k * words_;
        if (is_empty(slot)) continue;
        const bool stays = keep(key_of(slot), static_cast<const Value*>(beliefs_of(slot)));
        // Marked, not removed: what was put behind it must still be found until the segment is made anew.
        if (!stays) beliefs_of(slot)[width_] = kDropped;
        kept += stays ? 1 : 0;
      }
      if (kept < segment.size) rebuild(segment, capacity_for(kept));
    }
    return before - size_;
  }

 private:
  static constexpr std::size_t kSegmentBits = 8;
  static constexpr Value kDropped = -1;

  struct Segment {
    SlotMemory slots;
    std::size_t capacity = 0, size = 0;
  };

  // Multiplied so that all bits of a key count in the first ones, whatever the caller's keys are.
  static std::uint64_t spread(std::uint64_t key) { return key * 0x9e3779b97f4a7c15; }
  static std::size_t segment_of(std::uint64_t spread) { return spread >> (64 - kSegmentBits); }
  static std::size_t home_of(std::uint64_t spread, std::size_t capacity) {
    return static_cast<std::size_t>(((spread << kSegmentBits) >> 32) * capacity >> 32);
  }
  static std::uint64_t key_of(const std::uint32_t* slot) {
    std::uint64_t key = 0;
    std::memcpy(&key, slot, sizeof key);
    return key;
  }
  static Value* beliefs_of(std::uint32_t* slot) { return reinterpret_cast<Value*>(slot + 2); }
  // No belief has a variance of 0.
  bool is_empty(std::uint32_t* slot) const { return beliefs_of(slot)[width_] == 0; }

  // The weight's slot, or the empty one where it would be.
  std::uint32_t* probe(const Segment& segment, std::uint64_t key) const {
    std::uint32_t* const words = segment.slots.words();
    for (std::size_t at = home_of(spread(key), segment.capacity);;) {
      std::uint32_t* const slot = words + at * words_;
      if (key_of(slot) == key || is_empty(slot)) {
        // The key of an empty slot is 0, as may be that of a weight.
        return slot;
      }
      if (++at == segment.capacity) at = 0;
    }
  }

  bool is_full(std::size_t size, std::size_t capacity) const {
    return width_ == 1 ? size * 20 > capacity * 17 : size * 5 > capacity * 3;
  }
  std::size_t grown(std::size_t capacity) const;
  std::size_t capacity_for(std::size_t size) const;
  void rebuild(Segment& segment, std::size_t capacity);

  std::size_t width_, words_;  // 32-bit words of a slot
  std::size_t size_ = 0, bytes_ = 0, peak_bytes_ = 0;
  std::uint64_t generation_ = 0;
  std::array<Segment, std::size_t{1} << kSegmentBits> segments_;
};

using WeightTable = BeliefTable<float>;
using SumTable = BeliefTable<std::int64_t>;

extern template class BeliefTable<float>;
extern template class BeliefTable<std::int64_t>;

}  // namespace postrider::internal::hashed
