// Where a column's numbers are best cut for what they tell of the target: a small tree on one column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal {

// The targets of rows: class numbers below `classes`, or, if that is 0, `outputs` numbers for each row.
struct TargetsToTell {
  std::span<const double> values;
  std::size_t classes = 0, outputs = 1;
  std::span<const double> weights = {};  // how often each row counts; none: once

  std::size_t rows() const { return classes > 0 ? values.size() : values.size() / outputs; }
};

struct CutLimits {
  std::size_t leaves = 32;  // at most
  double rows_per_leaf = 5;
};

// Cuts one leaf after another, always where the log-likelihood of the targets gains most, with the same density
// for all rows of a leaf and one variance of numbers for all leaves, until the gain is below what a cut costs: half the logarithm of the number of rows for
// each number that it adds (the Bayesian information criterion), and the logarithm of the number of places where
// it could be. `values` has one number for each row; NaN is missing, and left out. Rising, between the values.
std::vector<double> supervised_cuts(std::span<const double> values, const TargetsToTell& targets,
                                    const CutLimits& limits = {});

}  // namespace postrider::internal
