// Examples that are swept from one snapshot of the beliefs: their number is a constant of the loops.
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"

#if defined(POSTRIDER_SWEEP_EXAMPLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_EXAMPLES_INL_H_
#undef POSTRIDER_SWEEP_EXAMPLES_INL_H_
#else
#define POSTRIDER_SWEEP_EXAMPLES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// Calls run with the number of examples as a constant.
template <class Run>
HWY_INLINE void with_block(size_t examples, Run&& run) {
  if (examples == 1) return run(std::integral_constant<size_t, 1>());
  if (examples == 2) return run(std::integral_constant<size_t, 2>());
  if (examples == 4) return run(std::integral_constant<size_t, 4>());
  run(std::integral_constant<size_t, 8>());
}

// Calls run(first, size) with blocks of this size; what does not fill one goes in smaller ones.
template <class Run>
HWY_INLINE void for_each_block(size_t count, size_t block, Run&& run) {
  for (size_t first = 0; first < count; first += block) {
    while (first + block > count) block /= 2;
    run(first, block);
  }
}

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_EXAMPLES_INL_H_
