#include "bench/epoch/environment.h"

#include <unistd.h>

#include <cstdlib>

namespace postrider::bench {
namespace {

constexpr const char* kPrepared = "POSTRIDER_BENCH_PREPARED";

// Null where OpenBLAS does well by itself.
const char* core_type() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bf16")) return "SapphireRapids";
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

}  // namespace

void prepare_environment(char** argv) {
  if (std::getenv(kPrepared) != nullptr) return;
  setenv(kPrepared, "1", 1);
  if (const char* const type = core_type()) setenv("OPENBLAS_CORETYPE", type, 0);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
  // Still here: no such file on this system. Times of libtorch may be too long then, and the rate of
  // its matrix product will show it.
}

}  // namespace postrider::bench
