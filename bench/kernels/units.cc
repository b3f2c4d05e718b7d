// The passes over the units of a layer, as a sweep runs them: forward messages of the activations, and
// the answers of the conditioned rule.
#include <benchmark/benchmark.h>

#include "base/random.h"
#include "bench/kernels/kernels.h"
#include "sweep/engine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/kernels/units.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target: this file is compiled once per target.
#include "math/dispatch.h"
#include "sweep/units-inl.h"

#ifndef POSTRIDER_BENCH_KERNELS_UNITS_ONCE_
#define POSTRIDER_BENCH_KERNELS_UNITS_ONCE_
namespace postrider::bench {
using namespace internal;

// Two layers, and messages between them as training has them: what comes back weighs a hundredth of
// what went forward, up to as much.
struct Units {
  std::vector<SweepLayer> layers;
  Workspace<float> workspace;
  std::size_t examples;
  SweepRecord record;

  Units(std::size_t units, std::size_t in_flight)
      : layers{{1, units, false, 0.05}, {units, 1, true}}, workspace(layers), examples(in_flight) {
    RandomStream random(1, 0);
    const auto real = [](double x) { return static_cast<float>(x); };
    const LayerWork<float>&below = workspace.layers()[0], &above = workspace.layers()[1];
    for (std::size_t i = 0; i < examples * below.s_stride; ++i) {
      below.s_mean[i] = real(random.normal());
      below.s_variance[i] = real(random.log_uniform(0.1, 10));
    }
    for (std::size_t i = 0; i < examples * above.x_stride; ++i) {
      above.x_rho[i] = real(random.log_uniform(0.01, 1));
      above.x_tau[i] = real(random.normal()) * above.x_rho[i];
    }
  }
};

}  // namespace postrider::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace postrider::internal::HWY_NAMESPACE {
namespace {
void forward_pass(bench::Units& units) {
  const auto& work = units.workspace.layers();
  forward_units(units.layers[0], work[0], work[1], true, units.examples);
}
void backward_pass(bench::Units& units) {
  const auto& work = units.workspace.layers();
  backward_units(units.layers[0], work[0], work[1], graph::Rule::conditioned, units.examples,
                 units.record);
}
}  // namespace
}  // namespace postrider::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace postrider::bench {
namespace {

HWY_EXPORT(forward_pass);
HWY_EXPORT(backward_pass);

void add(const std::string& name, SimdLevel level, void (*pass)(Units&), std::size_t width,
         std::size_t examples) {
  benchmark::RegisterBenchmark(
      ("units/" + name + "/" + std::to_string(width) + "x" + std::to_string(examples) + "/" +
       level.name())
          .c_str(),
      [=](benchmark::State& state) {
        Units units(width, examples);
        dispatched(HWY_DISPATCH_TABLE(forward_pass), level)(units);
        for (auto _ : state) {
          pass(units);
          benchmark::ClobberMemory();
        }
        state.SetItemsProcessed(static_cast<std::int64_t>(width * examples) *
                                static_cast<std::int64_t>(state.iterations()));
      });
}

}  // namespace

// Many units, where throughput counts, and one vector of them.
void register_units(SimdLevel level) {
  for (const auto& [width, examples] : {std::pair<std::size_t, std::size_t>{256, 8}, {16, 1}}) {
    add("forward", level, dispatched(HWY_DISPATCH_TABLE(forward_pass), level), width, examples);
    add("backward", level, dispatched(HWY_DISPATCH_TABLE(backward_pass), level), width, examples);
  }
}

}  // namespace postrider::bench
#endif  // HWY_ONCE
