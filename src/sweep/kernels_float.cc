#include "sweep/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/kernels_float.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "sweep/messages-inl.h"
#include "sweep/pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {
namespace {

void learn_float(const SweepCall<float>& call, const LearnOptions<float>& options,
                 SweepRecord& record) {
  learn_rows(call, options, record);
}
void predict_float(const SweepCall<float>& call) { predict_rows(call); }
std::size_t take_out_float(WeightMessages<float>& beliefs, const WeightMessages<float>& prior,
                           const float* tau, const float* rho, WeightMessages<float>& cavity) {
  return take_out_all(beliefs, prior, tau, rho, cavity);
}
void difference_float(const WeightMessages<float>& beliefs, const WeightMessages<float>& cavity,
                      float* tau, float* rho) {
  difference_all(beliefs, cavity, tau, rho);
}

}  // namespace
}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
namespace {

HWY_EXPORT(learn_float);
HWY_EXPORT(predict_float);
HWY_EXPORT(take_out_float);
HWY_EXPORT(difference_float);

}  // namespace

template <>
SweepKernels<float> sweep_kernels(SimdLevel level) {
  return {dispatched(HWY_DISPATCH_TABLE(learn_float), level),
          dispatched(HWY_DISPATCH_TABLE(predict_float), level),
          dispatched(HWY_DISPATCH_TABLE(take_out_float), level),
          dispatched(HWY_DISPATCH_TABLE(difference_float), level)};
}

}  // namespace postrider
#endif  // HWY_ONCE
