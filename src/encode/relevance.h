// How much each column matters, found where rows are few.
#pragma once

#include <cstddef>
#include <vector>

#include "encode/supervised_cuts.h"
#include "postrider/encoding.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// The standard encoding with the columns' units divided by their relevances: those under which the targets are most probable for
// an infinitely wide network, with broad priors of the logarithms. Columns that hardly matter then move the units of a network
// by little, and the few rows need not teach every weight that it is none. At most 300 rows are looked at. Missing numbers count
// as the mean.
std::vector<ColumnEncoding> relevance_encodings(const Inputs& rows, std::size_t columns,
                                                const TargetsToTell& targets, double slope);

}  // namespace postrider::internal
