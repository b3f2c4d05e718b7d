// Columns brought to mean 0 and deviation 1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/column_scale.h"

namespace postrider {

struct Scales {
  std::vector<double> mean, deviation;  // per column

  std::size_t columns() const { return mean.size(); }
  std::vector<ColumnScale> by_column() const;
  // Rows of values, one after the other, in standardised units.
  std::vector<double> standardised(std::span<const double> rows) const;
};

// Whether a column with this mean and largest difference from it is more than rounding.
bool varies(double largest, double mean);

// Missing values (NaN) are left out. A column that hardly varies keeps its unit. Weights say how often
// each row counts, or are none.
Scales scales_of(std::span<const double> rows, std::size_t columns,
                 std::span<const double> weights = {});

}  // namespace postrider
