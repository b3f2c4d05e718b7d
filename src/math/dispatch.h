// Calls the version of a Highway-exported function that belongs to a level.
#pragma once

#include "hwy/highway.h"
#include "math/simd_level.h"

namespace postrider::internal {

// `table` is HWY_DISPATCH_TABLE(function). Highway's own dispatch reads a global; this does not.
template <class Function, std::size_t kTargets>
Function* dispatched(Function* const (&table)[kTargets], SimdLevel level) {
  // Compiled for one instruction set alone, as the sanitizer builds are.
  if constexpr (kTargets == 1) return table[0];
  hwy::ChosenTarget chosen;
  chosen.Update(level.target());
  return table[chosen.GetIndex()];
}

}  // namespace postrider::internal
