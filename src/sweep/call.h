// What the kernels of one instruction set are called with.
#pragma once

#include <cstdint>
#include <span>

#include "sweep/engine.h"

namespace postrider::internal {

template <class T>
struct SweepCall {
  std::span<const SweepLayer> layers;
  std::span<const LayerLayout> layouts;
  std::span<const LayerWork<T>> work;
  ActiveColumns& active;
  std::span<const std::uint32_t> all_rows;
  Rule rule;
  // The beliefs. Prediction only reads them.
  T* tau;
  T* rho;
  const ExamplesView<T>& examples;
  std::span<const std::uint32_t> rows;
  const Predictions<T>& predictions;
  Workers* workers;  // may be none
};

}  // namespace postrider::internal
