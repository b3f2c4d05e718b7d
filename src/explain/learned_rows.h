// Rows that a model of a table has learned, as far as its profile keeps them.
#pragma once

#include <cstddef>

#include "postrider/table_model.h"

namespace postrider::internal {

// At most so many, evenly among those that are kept; without rows if there are none, or columns that the profile does not watch. Numbers are
// known to a thousandth of the learned range, and to the bit where they are knots of the profile.
Table learned_rows(const TableModel& model, std::size_t most);

}  // namespace postrider::internal
