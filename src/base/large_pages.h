// Large pages for large arrays: a sweep over a wide layer jumps from row to row, and would miss an entry
// of the page tables at each.
#pragma once

#include <cstddef>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace postrider::internal {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

// A wish: where the system has none, nothing changes but time. Memory smaller than a page is left alone.
inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (bytes >= kLargePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace postrider::internal
