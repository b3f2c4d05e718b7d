// Columns brought to mean 0 and deviation 1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/inputs.h"

namespace postrider::internal {

struct Scales {
  std::vector<double> mean, deviation;  // per column

  std::size_t columns() const { return mean.size(); }
  // Rows of values, one after the other, in standardised units.
  std::vector<double> standardised(std::span<const double> rows) const;
};

// Whether a column with this mean and largest difference from it is more than rounding.
bool varies(double largest, double mean);

// What inputs can be divided by: a column whose deviation is so small that a file of the model would be refused keeps its unit, as a constant one.
inline constexpr double kLeastInputDeviation = 1e-290;
Scales usable_inputs(Scales scales);

// Rows hold all their numbers, and have a known shape. Missing values (NaN) are left out. A column that hardly varies keeps its unit. Weights say how often
// each row counts, or are none.
Scales scales_of(const Inputs& rows, std::span<const double> weights = {});

// --- Scales of rows that lie in several places: what each place knows of its columns, put together.

// The moments of one column, without what is missing. Squares are of differences from the mean; in long double no square
// of a double is too small or too large to be a number.
struct ColumnMoment {
  long double count = 0, mean = 0, squares = 0;
  double least = 0, most = 0;

  void add(double value, double weight);
  void add(const ColumnMoment& more);
};

// Rows have a known shape. Weights say how often each row counts, or are none.
std::vector<ColumnMoment> column_moments(const Inputs& rows, std::span<const double> weights = {});
// The same rule as scales_of().
Scales scales_of(std::span<const ColumnMoment> columns);

}  // namespace postrider::internal
