// Numbers below the normal ones as zero, while this exists: on common processors an operation that
// meets or makes one takes a hundred times as long, and no belief shows them.
#pragma once

#include "hwy/detect_compiler_arch.h"
#if HWY_ARCH_X86
#include <xmmintrin.h>
#endif

namespace postrider::internal {

class FlushTinyNumbers {
 public:
#if HWY_ARCH_X86
  FlushTinyNumbers() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlush | kAreZero); }
  ~FlushTinyNumbers() { _mm_setcsr(before_); }
#else
  FlushTinyNumbers() = default;
  ~FlushTinyNumbers() {}
#endif
  FlushTinyNumbers(const FlushTinyNumbers&) = delete;
  FlushTinyNumbers& operator=(const FlushTinyNumbers&) = delete;

#if HWY_ARCH_X86
 private:
  static constexpr unsigned kFlush = 0x8000;    // results
  static constexpr unsigned kAreZero = 0x0040;  // operands

  unsigned before_;
#endif
};

}  // namespace postrider::internal
