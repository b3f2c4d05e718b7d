// Encodings of columns, made from the rows that are to be learned.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "encode/supervised_cuts.h"
#include "postrider/encoding.h"

namespace postrider {

// Of rows of so many columns, NaN where missing. A column of at most two different numbers keeps the standard
// encoding. Where a column has no cut, its rank is all that is told of it. `kind` is not `chosen`.
std::vector<ColumnEncoding> column_encodings(Encoding kind, std::span<const double> rows,
                                             std::size_t columns, const TargetsToTell& targets);

}  // namespace postrider
