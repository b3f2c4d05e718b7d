// Rows learned once, one after the other, and rows in several passes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "postrider/sparse_model.h"
#include "sparse/state.h"

namespace postrider::internal::sparse {

// A number's units are those of the first rows; later they stay.
void set_units(SparseModel::State& state, const FeatureRows& rows);
SparseReport learn_rows(SparseModel::State& state, const FeatureRows& rows);
SparseReport fit_rows(SparseModel::State& state, const FeatureRows& rows);
// Learns rows without repeated keys once, and keeps what each said: for each key `lanes` taus and as many rhos.
SparseReport learn_with_messages(SparseModel::State& state, const FeatureRows& rows,
                                 std::vector<float>& messages);

// Models side by side that do not count any more, or cannot be afforded, are given up. Beliefs of all come to the
// same as rows are many, so that one that has fallen behind does not return. Looked at when rows are twice as many as before. The
// others, if some are given up; `weights` are those of the whole model.
std::optional<std::vector<std::size_t>> lanes_to_keep(const SparseModel::State& state,
                                                      std::size_t rows_before, std::size_t weights);

// Repeated keys of a row as one input with the sum of their values: a weight has one message of a row.
FeatureRows without_repeats(const FeatureRows& rows);

}  // namespace postrider::internal::sparse
