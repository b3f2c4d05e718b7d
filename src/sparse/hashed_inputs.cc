#include "postrider/sparse/hashed_inputs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "data/cell_columns.h"
#include "postrider/error.h"

namespace postrider::sparse {
using namespace internal;

SparseInputs hashed_inputs(const FeatureRows& rows, std::size_t columns) {
  if (columns == 0 || columns > std::numeric_limits<std::uint32_t>::max())
    reject("columns", columns, "must be within 1 and 4294967295");
  rows.validate(/*needs_targets=*/false);
  SparseInputs out;
  out.columns = columns;
  std::vector<std::pair<std::size_t, double>> cells;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    cells.clear();
    for (std::size_t i = rows.begin_of(row); i < rows.ends[row]; ++i)
      cells.emplace_back(static_cast<std::size_t>(mixed_hash(rows.keys[i]) % columns),
                         static_cast<double>(rows.values[i]));
    // Stable, so that sums are the same in whatever way the standard library sorts.
    std::stable_sort(cells.begin(), cells.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < cells.size();) {
      const std::size_t column = cells[i].first;
      double sum = 0;
      for (; i < cells.size() && cells[i].first == column; ++i) sum += cells[i].second;
      out.add(column, sum);
    }
    out.end_row();
  }
  return out;
}

}  // namespace postrider::sparse
