// Rows learned once, one after the other, and rows in several passes.
#pragma once

#include "postrider/sparse_model.h"
#include "sparse/state.h"

namespace postrider::sparse {

SparseReport learn_rows(SparseModel::State& state, const FeatureRows& rows);
SparseReport fit_rows(SparseModel::State& state, const FeatureRows& rows);

// Repeated keys of a row as one input with the sum of their values: a weight has one message of a row.
FeatureRows without_repeats(const FeatureRows& rows);

}  // namespace postrider::sparse
