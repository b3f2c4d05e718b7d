#include "sweep/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/kernels_double.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "sweep/messages-inl.h"
#include "sweep/pass-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::HWY_NAMESPACE {
namespace {

void learn_double(const SweepCall<double>& call, const LearnOptions<double>& options,
                  SweepRecord& record) {
  learn_rows(call, options, record);
}
void predict_double(const SweepCall<double>& call) { predict_rows(call); }
std::size_t take_out_double(WeightMessages<double>& beliefs, const WeightMessages<double>& prior,
                            const double* tau, const double* rho, WeightMessages<double>& cavity) {
  return take_out_all(beliefs, prior, tau, rho, cavity);
}
void difference_double(const WeightMessages<double>& beliefs, const WeightMessages<double>& cavity,
                       double* tau, double* rho) {
  difference_all(beliefs, cavity, tau, rho);
}

}  // namespace
}  // namespace postrider::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider {
namespace {

HWY_EXPORT(learn_double);
HWY_EXPORT(predict_double);
HWY_EXPORT(take_out_double);
HWY_EXPORT(difference_double);

}  // namespace

template <>
SweepKernels<double> sweep_kernels(SimdLevel level) {
  return {dispatched(HWY_DISPATCH_TABLE(learn_double), level),
          dispatched(HWY_DISPATCH_TABLE(predict_double), level),
          dispatched(HWY_DISPATCH_TABLE(take_out_double), level),
          dispatched(HWY_DISPATCH_TABLE(difference_double), level)};
}

}  // namespace postrider
#endif  // HWY_ONCE
