#include "math/normal_mixture.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/normal_mixture.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "math/normal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

// What parts from `first` on add, in so many lanes.
template <class L>
HWY_INLINE void part_at(const double* weights, const double* means, const double* deviations,
                        double x, size_t i, double* below, double* density) {
  const L deviation = L::load(deviations + i), weight = L::load(weights + i);
  const L z = (L(x) - L::load(means + i)) / deviation;
  const L height = normal_density(z);
  const L tail = height * mills_ratio(absolute(z));
  (weight * select(z > L(0), L(1) - tail, tail)).store(below);
  (weight * height / deviation).store(density);
}

BelowAndDensity sum_at(const double* weights, const double* means, const double* deviations,
                       size_t count, double x) {
  using Vector = hn::ScalableTag<double>;
  const size_t lanes = hn::Lanes(Vector());
  HWY_ALIGN double below[HWY_MAX_BYTES / sizeof(double)], density[HWY_MAX_BYTES / sizeof(double)];
  BelowAndDensity out{0, 0};
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    part_at<Lane<Vector>>(weights, means, deviations, x, i, below, density);
    for (size_t lane = 0; lane < lanes; ++lane) {
      out.below += below[lane];
      out.density += density[lane];
    }
  }
  for (; i < count; ++i) {
    part_at<Lane<hn::CappedTag<double, 1>>>(weights, means, deviations, x, i, below, density);
    out.below += below[0];
    out.density += density[0];
  }
  return out;
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace postrider::internal {
namespace {

HWY_EXPORT(sum_at);

}  // namespace

void NormalMixture::reserve(std::size_t parts) {
  weights_.reserve(parts);
  means_.reserve(parts);
  deviations_.reserve(parts);
}

void NormalMixture::add(double weight, double mean, double deviation) {
  weights_.push_back(weight);
  means_.push_back(mean);
  deviations_.push_back(deviation);
}

BelowAndDensity NormalMixture::at(double x, SimdLevel level) const {
  return dispatched(HWY_DISPATCH_TABLE(sum_at), level)(weights_.data(), means_.data(),
                                                       deviations_.data(), size(), x);
}

}  // namespace postrider::internal

#endif  // HWY_ONCE
