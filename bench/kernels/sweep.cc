// The sweep engine's kernels: passes over weights, and the algebra of stored messages.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench/common/swept.h"
#include "bench/kernels/kernels.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::size_t kRows = 32;

using Widths = std::vector<std::size_t>;
using Call = void (*)(Swept&);

// Items are edges of one example, so that the rate compares across networks and blocks.
void run(benchmark::State& state, const Widths& widths, std::size_t rows, SimdLevel level,
         Call call) {
  Swept swept(widths, rows, level);
  for (auto _ : state) {
    state.PauseTiming();
    swept.reset();
    state.ResumeTiming();
    call(swept);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(swept.engine().layout().weights() * rows) *
                          static_cast<std::int64_t>(state.iterations()));
}

void add(const std::string& name, SimdLevel level, const Widths& widths, std::size_t rows,
         Call call) {
  benchmark::RegisterBenchmark(
      (name + "/" + network_name(widths) + "/" + level.name()).c_str(),
      [=](benchmark::State& state) { run(state, widths, rows, level, call); });
}

}  // namespace

void register_sweep(SimdLevel level) {
  // One layer: its inputs are known. 256-256 has its lanes across units, 256-4 across inputs.
  for (const Widths& widths : {Widths{256, 256}, Widths{256, 4}}) {
    add("forward_known", level, widths, kRows, [](Swept& swept) { swept.predict(); });
    add("learn_known_block1", level, widths, kRows, [](Swept& swept) { swept.learn(1); });
    add("learn_known_block8", level, widths, kRows, [](Swept& swept) { swept.learn(8); });
  }
  // Nearly all edges are in the layers above the first, which answer their inputs.
  for (const Widths& widths : {Widths{4, 256, 256}, Widths{4, 256, 4}}) {
    add("forward_hidden", level, widths, kRows, [](Swept& swept) { swept.predict(); });
    add("learn_hidden_block1", level, widths, kRows, [](Swept& swept) { swept.learn(1); });
    add("learn_hidden_block8", level, widths, kRows, [](Swept& swept) { swept.learn(8); });
  }
  add("take_out", level, {256, 256}, 1, [](Swept& swept) { swept.take_out(); });
  add("difference", level, {256, 256}, 1, [](Swept& swept) { swept.difference(); });
}

}  // namespace postrider::bench
