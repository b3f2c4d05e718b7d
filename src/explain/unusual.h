// How unusual the values of a row's columns are among those that were learned.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/estimator.h"

namespace postrider::internal {

// In standard deviations from the mean, of a group of inputs the largest; 0 where a value is missing. An input that was 0 or 1 in all learned
// rows is a category: as many as a normal number has that is as rare.
double unusualness(std::span<const double> row, std::span<const std::size_t> group,
                   std::span<const Estimator::ColumnScale> scales);

}  // namespace postrider::internal
