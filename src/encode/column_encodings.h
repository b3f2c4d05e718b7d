// Encodings of columns, made from the rows that are to be learned.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "encode/supervised_cuts.h"
#include "postrider/encoding.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// Made from rows of so many columns, NaN where missing. A column of at most two different numbers keeps the standard
// encoding. Where a column has no cut, its rank is all that is told of it. `kind` is not `chosen`.
std::vector<ColumnEncoding> column_encodings(Encoding kind, const Inputs& rows, std::size_t columns,
                                             const TargetsToTell& targets);
// The standard encoding of rows whose zeros stay zeros: no column is moved, and each is divided by the root mean
// square of what is not zero in it.
std::vector<ColumnEncoding> zero_keeping_encodings(const Inputs& rows, std::size_t columns,
                                                   std::span<const double> weights);

}  // namespace postrider::internal
