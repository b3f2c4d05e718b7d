// Means that run ahead of what was learned, so that fewer epochs are needed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sweep/arrays.h"

namespace postrider::internal {

// From epoch to epoch most means go on in the same direction, and slowly. Before an epoch each mean m is moved on by a share b of its
// last step, as by a message of precision 0,
//   tau += g,   g = b rho (m - m'),   m = tau/rho,   m' the mean before that step,
// which is taken out again after the epoch: beliefs that no longer change stay where they are, and what is judged and kept is
// the prior and the stored messages alone.
template <class T>
class Extrapolation {
 public:
  // There are this many networks side by side. Their means begin at the prior's.
  Extrapolation(const WeightMessages<T>& prior, std::size_t networks);

  // A share for each network; 0 leaves its means where they are.
  void put_in(std::span<const double> shares, WeightMessages<T>& belief);
  void take_out(WeightMessages<T>& belief);

  // Means before the last step: all that must be known to go on elsewhere.
  std::span<T> means() { return means_; }

 private:
  std::size_t networks_;
  AlignedVector<T> means_, message_;
};

}  // namespace postrider::internal
