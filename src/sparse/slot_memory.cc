#include "sparse/slot_memory.h"

#include <cstdlib>
#include <new>

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

}  // namespace postrider::internal::hashed
