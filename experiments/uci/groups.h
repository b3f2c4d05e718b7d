// Whether intervals hold within groups of rows, too: thirds by the width that was predicted, and the values of columns that have few.
#pragma once

#include <cstddef>
#include <vector>

#include "common/result.h"
#include "postrider/distributions.h"
#include "sets.h"

namespace postrider::experiments {

// The shown level's intervals of one split's test rows, row by row.
struct RowIntervals {
  std::vector<double> width;  // in the unit of the target
  std::vector<bool> holds;
};

RowIntervals row_intervals(const Distributions& found, const std::vector<double>& targets);

// For the result file: an entry for each group, of the test rows of all these splits, in order.
std::vector<Object> describe_groups(const UciSet& set, const std::vector<RowIntervals>& splits);

}  // namespace postrider::experiments
