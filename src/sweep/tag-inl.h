// The vectors that the passes run on.
#include <concepts>
#include <type_traits>

#include "math/lane-inl.h"
#include "sweep/call.h"

#if defined(POSTRIDER_SWEEP_TAG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSTRIDER_SWEEP_TAG_INL_H_
#undef POSTRIDER_SWEEP_TAG_INL_H_
#else
#define POSTRIDER_SWEEP_TAG_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {

// Messages are proper here, and denominators are precisions and variances of ordinary size, so floats
// may divide by estimate.
template <class T>
using SweepTag =
    std::conditional_t<std::same_as<T, float>, Quick<hn::ScalableTag<T>>, hn::ScalableTag<T>>;

}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // POSTRIDER_SWEEP_TAG_INL_H_
