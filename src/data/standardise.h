// Columns brought to mean 0 and deviation 1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/column_scale.h"

namespace postrider::internal {

struct Scales {
  std::vector<double> mean, deviation;  // per column

  std::size_t columns() const { return mean.size(); }
  std::vector<ColumnScale> by_column() const;
  // Rows of values, one after the other, in standardised units.
  std::vector<double> standardised(std::span<const double> rows) const;
};

// Whether a column with this mean and largest difference from it is more than rounding.
bool varies(double largest, double mean);

// What inputs can be divided by: a column whose deviation is so small that a file of the model would be refused keeps its unit, as a constant one.
inline constexpr double kLeastInputDeviation = 1e-290;
Scales usable_inputs(Scales scales);

// Missing values (NaN) are left out. A column that hardly varies keeps its unit. Weights say how often
// each row counts, or are none.
Scales scales_of(std::span<const double> rows, std::size_t columns,
                 std::span<const double> weights = {});

}  // namespace postrider::internal
