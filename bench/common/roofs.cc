#include "bench/common/roofs.h"

#include <algorithm>
#include <vector>

#include "bench/common/stopwatch.h"
#include "math/simd_level.h"
#include "sweep/arrays.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/common/roofs.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "hwy/highway.h"
#include "math/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace postrider::bench::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Enough independent chains to hide the latency of an instruction on two ports.
constexpr size_t kChains = 12;
using D = hn::ScalableTag<float>;

size_t lanes_of_floats() { return hn::Lanes(D()); }

// Each chain tends to a number of ordinary size. The sum is for the compiler, which may not leave out
// what somebody reads.
float multiply_add_chains(size_t rounds) {
  const D d;
  const auto factor = hn::Set(d, 0.5f), term = hn::Set(d, 1.0f);
  hn::Vec<D> chain[kChains];
  for (size_t i = 0; i < kChains; ++i) chain[i] = hn::Set(d, static_cast<float>(i));
  for (size_t r = 0; r < rounds; ++r)
    for (size_t i = 0; i < kChains; ++i) chain[i] = hn::MulAdd(chain[i], factor, term);
  auto sum = chain[0];
  for (size_t i = 1; i < kChains; ++i) sum = hn::Add(sum, chain[i]);
  return hn::GetLane(sum);
}

float estimate_chains(size_t rounds) {
  const D d;
  hn::Vec<D> chain[kChains];
  for (size_t i = 0; i < kChains; ++i) chain[i] = hn::Set(d, static_cast<float>(i + 2));
  for (size_t r = 0; r < rounds; ++r)
    for (size_t i = 0; i < kChains; ++i) chain[i] = hn::ApproximateReciprocal(chain[i]);
  auto sum = chain[0];
  for (size_t i = 1; i < kChains; ++i) sum = hn::Add(sum, chain[i]);
  return hn::GetLane(sum);
}

float read_floats(const float* from, size_t count) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<D> sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (size_t i = 0; i < count; i += 4 * lanes)
    for (size_t k = 0; k < 4; ++k) sum[k] = hn::Add(sum[k], hn::Load(d, from + i + k * lanes));
  return hn::GetLane(hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3])));
}

void update_floats(float* at, size_t count) {
  const D d;
  const auto factor = hn::Set(d, 0.5f), term = hn::Set(d, 1.0f);
  for (size_t i = 0; i < count; i += hn::Lanes(d))
    hn::Store(hn::MulAdd(hn::Load(d, at + i), factor, term), d, at + i);
}

}  // namespace
}  // namespace postrider::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::bench {
using namespace internal;
namespace {

HWY_EXPORT(lanes_of_floats);
HWY_EXPORT(multiply_add_chains);
HWY_EXPORT(estimate_chains);
HWY_EXPORT(read_floats);
HWY_EXPORT(update_floats);

constexpr std::size_t kChainsOfAll = 12;  // as in the kernels
constexpr std::size_t kGrain = 1024;      // floats: a multiple of what one step of any kernel reads

volatile float sink;

template <class Kernel>
double rate_of(Kernel kernel, bool quick) {
  const std::size_t rounds = quick ? 100'000 : 1'000'000;
  const std::vector<double> seconds = times_of(10, 0, [&] { sink = kernel(rounds); });
  return static_cast<double>(rounds * kChainsOfAll) / least(seconds);
}

}  // namespace

VectorRates measure_vector_rates(bool quick) {
  const SimdLevel level = SimdLevel::best();
  return {dispatched(HWY_DISPATCH_TABLE(lanes_of_floats), level)(),
          rate_of(dispatched(HWY_DISPATCH_TABLE(multiply_add_chains), level), quick),
          rate_of(dispatched(HWY_DISPATCH_TABLE(estimate_chains), level), quick)};
}

MemoryTimes measure_memory(std::size_t bytes, std::size_t repeats) {
  const SimdLevel level = SimdLevel::best();
  const std::size_t count = (bytes / sizeof(float) + kGrain - 1) / kGrain * kGrain;
  AlignedVector<float> array(count, 1.0f);
  const auto read = dispatched(HWY_DISPATCH_TABLE(read_floats), level);
  const auto update = dispatched(HWY_DISPATCH_TABLE(update_floats), level);
  MemoryTimes out;
  out.read = median(times_of(repeats, 0, [&] { sink = read(array.data(), count); }));
  out.update = median(times_of(repeats, 0, [&] { update(array.data(), count); }));
  return out;
}

experiments::Object to_object(const VectorRates& rates) {
  return {{"lanes", {static_cast<std::int64_t>(rates.lanes)}},
          {"vector_multiply_adds_per_second", {rates.multiply_adds}},
          {"vector_estimates_per_second", {rates.estimates}}};
}

}  // namespace postrider::bench
#endif  // HWY_ONCE
