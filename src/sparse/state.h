// What a SparseModel consists of.
#pragma once

#include <cmath>

#include "postrider/sparse_model.h"
#include "sparse/lanes.h"
#include "sparse/likelihood.h"
#include "sparse/linear.h"

namespace postrider {

struct SparseModel::State {
  explicit State(const SparseOptions& with);

  SparseOptions options;
  sparse::Likelihood likelihood;
  sparse::Bank bank;
  sparse::Linear linear;
  sparse::LaneMoments noise;      // the logarithm of a number's noise, in units of the scores
  double location = 0, unit = 1;  // of numbers: a score of s is location + unit s
  std::size_t rows = 0;
  double weight = 0, log_loss = 0;  // sums over the rows

  // 1 or -1, or a number in units of the scores.
  double target_of(double given) const {
    if (options.target == SparseTarget::number) return (given - location) / unit;
    return given > 0 ? 1 : -1;
  }
  void keep(std::span<const std::size_t> kept);
};

namespace sparse {

RowView row_of(const FeatureRows& rows, std::size_t row);

}  // namespace sparse
}  // namespace postrider
