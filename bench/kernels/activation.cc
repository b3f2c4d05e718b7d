// Messages of the leaky ReLU, many at a time.
#include <benchmark/benchmark.h>

#include "base/random.h"
#include "bench/kernels/kernels.h"
#include "factor/batch.h"

namespace postrider::bench {
using namespace internal;
namespace {

constexpr std::size_t kMessages = 4096;
constexpr double kSlope = 0.05;

// Messages as training has them: means about as large as deviations.
struct Messages {
  std::vector<float> tau, rho;

  explicit Messages(std::uint64_t stream) {
    RandomStream random(1, stream);
    for (std::size_t i = 0; i < kMessages; ++i) {
      rho.push_back(static_cast<float>(random.log_uniform(0.1, 10)));
      tau.push_back(rho.back() * static_cast<float>(random.normal()));
    }
  }
};

void run(benchmark::State& state, std::size_t edge, graph::Rule rule, SimdLevel level) {
  const Messages first(0), second(1);
  std::vector<float> tau(kMessages), rho(kMessages);
  const Batch<float> batch{{{first.tau, first.rho}, {second.tau, second.rho}}, {tau, rho}, {}, {}};
  for (auto _ : state) {
    send_many<float>("leaky_relu", {{"slope", {kSlope}}}, edge, rule, batch, level);
    benchmark::DoNotOptimize(tau.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kMessages) *
                          static_cast<std::int64_t>(state.iterations()));
}

void add(const std::string& name, std::size_t edge, graph::Rule rule, SimdLevel level) {
  benchmark::RegisterBenchmark(("leaky_relu/" + name + "/" + level.name()).c_str(),
                               [=](benchmark::State& state) { run(state, edge, rule, level); });
}

}  // namespace

void register_activation(SimdLevel level) {
  constexpr std::size_t kOutput = 0, kInput = 1;
  add("forward", kOutput, graph::Rule::direct, level);
  add("backward_direct", kInput, graph::Rule::direct, level);
  add("backward_conditioned", kInput, graph::Rule::conditioned, level);
}

}  // namespace postrider::bench
