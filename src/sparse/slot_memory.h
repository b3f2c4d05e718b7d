// Zeroed memory that goes back to the system as soon as it is given up: a table that grows segment by segment must not
// leave behind what an allocator keeps for later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

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

}  // namespace postrider::internal::hashed
