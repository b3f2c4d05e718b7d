#include "factor/varying_noise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/varying_noise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "factor/varying_noise-inl.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {

template <class L>
HWY_INLINE void derive_at(const VaryingNoiseArguments& in, const VaryingNoiseOutputs& out,
                          size_t i) {
  const VaryingNoiseFound<L> found = varying_noise_found<L>(
      {L::load(&in.residual[i]), L::load(&in.variance[i]), L::load(&in.log_mean[i]),
       L::load(&in.log_variance[i]), L::load(&in.scale[i])});
  found.log_z.store(&out.log_z[i]);
  found.x_g1.store(&out.x_g1[i]);
  found.x_g2.store(&out.x_g2[i]);
  found.log_g1.store(&out.log_g1[i]);
  found.log_g2.store(&out.log_g2[i]);
  found.scale_slope.store(&out.scale_slope[i]);
  found.guarded.store(&out.guarded[i]);
}

void derive_all(const VaryingNoiseArguments& in, const VaryingNoiseOutputs& out) {
  using Vector = hn::ScalableTag<double>;
  const size_t lanes = hn::Lanes(Vector()), count = in.residual.size();
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) derive_at<Lane<Vector>>(in, out, i);
  for (; i < count; ++i) derive_at<Lane<hn::CappedTag<double, 1>>>(in, out, i);
}

template <class L>
HWY_INLINE void log_z_at(const VaryingNoiseArguments& in, std::span<double> log_z, size_t i) {
  varying_noise_log_z<L>({L::load(&in.residual[i]), L::load(&in.variance[i]),
                          L::load(&in.log_mean[i]), L::load(&in.log_variance[i]),
                          L::load(&in.scale[i])})
      .store(&log_z[i]);
}

void log_z_of_all(const VaryingNoiseArguments& in, std::span<double> log_z) {
  using Vector = hn::ScalableTag<double>;
  const size_t lanes = hn::Lanes(Vector()), count = in.residual.size();
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) log_z_at<Lane<Vector>>(in, log_z, i);
  for (; i < count; ++i) log_z_at<Lane<hn::CappedTag<double, 1>>>(in, log_z, i);
}

}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cmath>

namespace postrider::internal {
namespace {

HWY_EXPORT(derive_all);
HWY_EXPORT(log_z_of_all);

HWY_NAMESPACE::VaryingNoiseRow<double> row_of(const VaryingNoiseInput& in) {
  return {in.residual, in.variance, in.log_mean, in.log_variance, in.scale};
}

}  // namespace

void varying_noise_derivatives(const VaryingNoiseArguments& in, const VaryingNoiseOutputs& out,
                               SimdLevel level) {
  dispatched(HWY_DISPATCH_TABLE(derive_all), level)(in, out);
}

VaryingNoiseDerivatives varying_noise_derivatives(const VaryingNoiseInput& in) {
  const auto found = HWY_NAMESPACE::varying_noise_found(row_of(in));
  return {found.log_z,
          found.x_g1,
          found.x_g2,
          found.log_g1,
          found.log_g2,
          found.scale_slope,
          static_cast<std::size_t>(found.guarded)};
}

void varying_noise_log_densities(const VaryingNoiseArguments& in, std::span<double> log_densities,
                                 SimdLevel level) {
  dispatched(HWY_DISPATCH_TABLE(log_z_of_all), level)(in, log_densities);
}

double varying_noise_log_density(const VaryingNoiseInput& in) {
  return HWY_NAMESPACE::varying_noise_log_z(row_of(in));
}

namespace {

// Where a share lies, in standard deviations.
double share_place(std::size_t share) {
  constexpr double kShareStep = 0.5, kMiddle = 0.5 * (kNoiseShares - 1);
  return kShareStep * (static_cast<double>(share) - kMiddle);
}

std::array<double, kNoiseShares> share_weights() {
  std::array<double, kNoiseShares> out;
  double sum = 0;
  for (std::size_t i = 0; i < kNoiseShares; ++i) {
    const double t = share_place(i);
    out[i] = std::exp(-0.5 * t * t);
    sum += out[i];
  }
  for (double& weight : out) weight /= sum;
  return out;
}

}  // namespace

std::array<NoiseShare, kNoiseShares> noise_shares(double log_mean, double log_variance,
                                                  double scale) {
  // The same for all: whoever serves single rows asks for them thousands of times a second.
  static const std::array<double, kNoiseShares> kWeights = share_weights();
  const double deviation = std::sqrt(log_variance);
  std::array<NoiseShare, kNoiseShares> out;
  for (std::size_t i = 0; i < kNoiseShares; ++i)
    out[i] = {kWeights[i], noise_at(log_mean + deviation * share_place(i), scale)};
  return out;
}

std::array<NoiseShare, kFewNoiseShares> few_noise_shares(double log_mean, double log_variance,
                                                         double scale) {
  // Places in standard deviations, and their weights.
  constexpr std::array<std::array<double, 2>, kFewNoiseShares> kRule{
      {{-3.750439717725742, 0.000548268855972},
       {-2.366759410734541, 0.030757123967586},
       {-1.154405394739968, 0.240123178605013},
       {0, 0.457142857142857},
       {1.154405394739968, 0.240123178605013},
       {2.366759410734541, 0.030757123967586},
       {3.750439717725742, 0.000548268855972}}};
  const double deviation = std::sqrt(log_variance);
  std::array<NoiseShare, kFewNoiseShares> out;
  for (std::size_t i = 0; i < kFewNoiseShares; ++i)
    out[i] = {kRule[i][1], noise_at(log_mean + deviation * kRule[i][0], scale)};
  return out;
}

double noise_at(double g, double scale) {
  constexpr double kMostLogNoise = 100;
  return scale * std::exp(std::clamp(g, -kMostLogNoise, kMostLogNoise));
}

double expected_noise(double log_mean, double log_variance, double scale) {
  return noise_at(log_mean + 0.5 * log_variance, scale);
}

}  // namespace postrider::internal
#endif  // HWY_ONCE
