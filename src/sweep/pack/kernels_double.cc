#include "sweep/pack/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/pack/kernels_double.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "sweep/pack/pack_sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {
PackKernels<double> kernels() { return pack_kernels_of_target<double>(); }
}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::internal {
namespace {
HWY_EXPORT(kernels);
}  // namespace

template <>
PackKernels<double> pack_kernels(SimdLevel level) {
  return dispatched(HWY_DISPATCH_TABLE(kernels), level)();
}

}  // namespace postrider::internal
#endif  // HWY_ONCE
