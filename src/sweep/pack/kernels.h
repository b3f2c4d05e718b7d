// The vector code of the pack engine, as functions of one instruction set.
#pragma once

#include <span>
#include <vector>

#include "math/simd_level.h"
#include "sweep/pack/engine.h"

namespace postrider::internal {

template <class T>
struct PackCall {
  std::span<const SweepLayer> layers;
  Rule rule;
  // Prediction only reads them.
  T *tau, *rho;
  const T* least;
  // The group's stored message; null in predictions.
  T *stored_tau, *stored_rho;
  std::size_t stored_inputs;  // of the first layer, that its message is about
  // That of the group that comes next; the same if there is none.
  const T *next_tau, *next_rho;
  // For each network, the share of its stored message that is not taken out.
  const T* damping;
  const PackData<T>& data;
  PackWorkspace<T>& workspace;
};

template <class T>
struct PackKernels {
  void (*refresh)(const PackCall<T>&, const PackGroup<T>&, const PackLearnOptions<T>&);
  void (*learn)(const PackCall<T>&, const PackCall<T>* ahead, const PackGroup<T>&,
                const PackLearnOptions<T>&);
  void (*judge)(const PackCall<T>&, const PackGroup<T>&, const PackLearnOptions<T>&);
  void (*predict)(const PackCall<T>&, std::span<const std::uint32_t> rows);
};

template <class T>
PackKernels<T> pack_kernels(SimdLevel level);
template <>
PackKernels<float> pack_kernels(SimdLevel level);
template <>
PackKernels<double> pack_kernels(SimdLevel level);

}  // namespace postrider::internal
