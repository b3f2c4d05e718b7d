// Micro-benchmarks of the kernels. Takes the options of Google Benchmark, for example
// --benchmark_filter=avx2, and --quick: each for a moment, to see that it runs.
#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

#include "bench/kernels/kernels.h"

int main(int argc, char** argv) {
  using namespace postrider;
  using namespace postrider::internal;
  char moment[] = "--benchmark_min_time=0.001";
  std::vector<char*> arguments;
  for (int i = 0; i < argc; ++i)
    arguments.push_back(std::string_view(argv[i]) == "--quick" ? moment : argv[i]);
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  for (const SimdLevel level : SimdLevel::available()) {
    bench::register_sweep(level);
    bench::register_activation(level);
    bench::register_units(level);
  }
  bench::register_likelihoods();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
