#include "factor/logistic_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/logistic_step.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "factor/tilted-inl.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

// Least squares over 0 <= x <= 12: log a_k and s_k^2.
constexpr size_t kParts = 3;
constexpr double kLogShare[kParts] = {-0.5393334375, -1.3634323010, -1.8258427822};
constexpr double kWidth[kParts] = {3.0101887733, 1.2198163409, 7.5631668897};

template <class L>
HWY_INLINE void logistic_at(const LogisticArguments& in, const StepOutputs& out, size_t i) {
  const Moments<L> x{L::load(&in.mean[i]), L::load(&in.variance[i])};
  const L sign = L::load(&in.sign[i]);
  Alternative<L> part[kParts];
  for (size_t k = 0; k < kParts; ++k) {
    part[k] = step_alternative(sign, L(0), L(kWidth[k]), x);
    part[k].log_z = part[k].log_z + L(kLogShare[k]);
  }
  const L largest = maximum(maximum(part[0].log_z, part[1].log_z), part[2].log_z);
  L sum(0), first(0), second(0);
  for (size_t k = 0; k < kParts; ++k) {
    const L share = exponential(part[k].log_z - largest);
    sum = sum + share;
    first = multiply_add(share, part[k].g1, first);
    second = multiply_add(share, part[k].g2 - part[k].g1 * part[k].g1, second);
  }
  const L whole = L(1) / sum, g1 = first * whole;
  const L g2 = multiply_add(g1, g1, second * whole);
  (largest + logarithm(sum)).store(&out.log_z[i]);
  g1.store(&out.g1[i]);
  g2.store(&out.g2[i]);
}

void logistic_all(const LogisticArguments& in, const StepOutputs& out) {
  using Vector = hn::ScalableTag<double>;
  const size_t lanes = hn::Lanes(Vector()), count = in.sign.size();
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) logistic_at<Lane<Vector>>(in, out, i);
  for (; i < count; ++i) logistic_at<Lane<hn::CappedTag<double, 1>>>(in, out, i);
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::internal {
namespace {

HWY_EXPORT(logistic_all);

}  // namespace

std::size_t logistic_derivatives(const LogisticArguments& in, const StepOutputs& out,
                                 SimdLevel level) {
  dispatched(HWY_DISPATCH_TABLE(logistic_all), level)(in, out);
  std::size_t guarded = 0;
  for (double& g2 : out.g2)
    if (g2 < 0) {
      g2 = 0;
      ++guarded;
    }
  return guarded;
}

}  // namespace postrider::internal
#endif  // HWY_ONCE
