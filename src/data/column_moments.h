// Scales of rows that lie in several places: what each place knows of its columns, put together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/standardise.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// The moments of one column, without what is missing. Squares are of differences from the mean; in long double no square
// of a double is too small or too large to be a number.
struct ColumnMoment {
  long double count = 0, mean = 0, squares = 0;
  double least = 0, most = 0;

  void add(double value, double weight);
  void add(const ColumnMoment& more);
};

// Weights say how often each row counts, or are none.
std::vector<ColumnMoment> column_moments(const Inputs& rows, std::size_t columns,
                                         std::span<const double> weights = {});
// The same rule as scales_of().
Scales scales_of(std::span<const ColumnMoment> columns);

}  // namespace postrider::internal
