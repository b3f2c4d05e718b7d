// Rows of a pool by what functions say of them: the choice of rows to label, apart from where functions come from.
#pragma once

#include <cstddef>
#include <vector>

#include "postrider/row_selection.h"

namespace postrider::internal {

// What drawn functions say of a pool.
struct PoolValues {
  std::size_t rows = 0, targets = 1;
  std::vector<double> values = {};          // function by function, row by row, target by target
  std::vector<double> noise_variance = {};  // of labels: row by row, target by target
};

// The best rows in the order in which they were chosen. Takes functions times rows for each of them, and functions squared
// times rows once. Throws InvalidArgument if sizes do not fit, with fewer than two functions, or if there are fewer rows.
std::vector<SelectedRow> select_rows(const PoolValues& pool, std::size_t count);

}  // namespace postrider::internal
