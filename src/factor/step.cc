#include "factor/step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/step.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "factor/tilted-inl.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

template <class L>
HWY_INLINE void step_at(const StepArguments& in, const StepOutputs& out, size_t i) {
  const Alternative<L> found =
      step_alternative(L::load(&in.sign[i]), L(0), L::load(&in.noise[i]),
                       Moments<L>{L::load(&in.mean[i]), L::load(&in.variance[i])});
  found.log_z.store(&out.log_z[i]);
  found.g1.store(&out.g1[i]);
  found.g2.store(&out.g2[i]);
}

void step_all(const StepArguments& in, const StepOutputs& out) {
  using Vector = hn::ScalableTag<double>;
  const size_t lanes = hn::Lanes(Vector()), count = in.sign.size();
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) step_at<Lane<Vector>>(in, out, i);
  for (; i < count; ++i) step_at<Lane<hn::CappedTag<double, 1>>>(in, out, i);
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::internal {
namespace {

HWY_EXPORT(step_all);

}  // namespace

void step_derivatives(const StepArguments& in, const StepOutputs& out, SimdLevel level) {
  dispatched(HWY_DISPATCH_TABLE(step_all), level)(in, out);
}

}  // namespace postrider::internal
#endif  // HWY_ONCE
