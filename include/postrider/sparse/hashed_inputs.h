// Rows of names with values as inputs of an estimator: so that a network learns on top of names.
#pragma once

#include <cstddef>

#include "postrider/export.h"
#include "postrider/inputs.h"
#include "postrider/sparse/model.h"

namespace postrider::sparse {

// Each name has the column that its key's hash gives it, among so many; names that share a column are added up. Choose several
// times as many columns as there are names that matter.
POSTRIDER_EXPORT SparseInputs hashed_inputs(const FeatureRows& rows, std::size_t columns);

}  // namespace postrider::sparse
