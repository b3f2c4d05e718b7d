// Adam with a mean squared error, as libtorch has it and written by hand. No C++20 here: libtorch's
// headers are compiled as C++17.
#pragma once

#include <memory>
#include <string>

#include "bench/epoch/case.h"

namespace postrider::bench {

inline constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

class Contender {
 public:
  virtual ~Contender() = default;
  // One pass over the rows as they lie, batch by batch; a last batch may be smaller.
  virtual void epoch() = 0;
  // Mean squared error over all rows and outputs.
  virtual double loss() = 0;
};

std::unique_ptr<Contender> make_hand_adam(const Case& of, const TrainingSet& set);

// Null in a build without libtorch.
std::unique_ptr<Contender> make_torch_adam(const Case& of, const TrainingSet& set);
// 10^9 additions and multiplications per second in libtorch's product of two matrices; 0 without
// libtorch. It tells an optimised BLAS from the reference one.
double torch_matrix_rate();

}  // namespace postrider::bench
