#include "sparse/slot_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "base/large_pages.h"

namespace postrider::sparse {
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
  memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    throw std::bad_alloc();
  }
  prefer_large_pages(memory_, bytes);
}

SlotMemory::~SlotMemory() {
  if (bytes_ < kMapped)
    std::free(memory_);
  else
    (void)munmap(memory_, bytes_);
}

}  // namespace postrider::sparse
