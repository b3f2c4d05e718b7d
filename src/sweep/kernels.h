// The vector code of the sweep engine, as functions of one instruction set. Floats and doubles are
// compiled separately, since each takes a while.
#pragma once

#include <cstddef>

#include "math/simd_level.h"
#include "sweep/call.h"

namespace postrider {

template <class T>
struct SweepKernels {
  void (*learn)(const SweepCall<T>&, const LearnOptions<T>&, SweepRecord&);
  void (*predict)(const SweepCall<T>&);
  std::size_t (*take_out)(WeightMessages<T>& beliefs, const WeightMessages<T>& prior, const T* tau,
                          const T* rho, WeightMessages<T>& cavity);
  void (*difference)(const WeightMessages<T>& beliefs, const WeightMessages<T>& cavity, T* tau,
                     T* rho);
};

template <class T>
SweepKernels<T> sweep_kernels(SimdLevel level);
template <>
SweepKernels<float> sweep_kernels(SimdLevel level);
template <>
SweepKernels<double> sweep_kernels(SimdLevel level);

}  // namespace postrider
