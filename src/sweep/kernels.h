// The vector code of the sweep engine, as functions of one instruction set. Floats and doubles are
// compiled separately, since each takes a while.
#pragma once

#include <cstddef>

#include "math/simd_level.h"
#include "sweep/call.h"

namespace postrider::internal {

template <class T>
struct SweepKernels {
  void (*learn)(const SweepCall<T>&, const SweepOptions<T>&, SweepRecord&);
  void (*predict)(const SweepCall<T>&);
  // For some weights that follow each other.
  std::size_t (*take_out)(T* belief_tau, T* belief_rho, const T* prior_rho, T* tau, T* rho,
                          std::size_t weights);
  void (*difference)(const T* belief_tau, const T* belief_rho, T* tau, T* rho, std::size_t weights);
  void (*add)(const T* values, double* sums, std::size_t weights);
};

template <class T>
SweepKernels<T> sweep_kernels(SimdLevel level);
template <>
SweepKernels<float> sweep_kernels(SimdLevel level);
template <>
SweepKernels<double> sweep_kernels(SimdLevel level);

}  // namespace postrider::internal
