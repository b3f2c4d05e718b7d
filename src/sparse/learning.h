// Rows learned once, one after the other, and rows in several passes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "postrider/sparse/model.h"
#include "sparse/state.h"

namespace postrider::internal::hashed {

// A number's units are those of the first rows; later they stay.
void set_units(sparse::SparseModel::State& state, const sparse::FeatureRows& rows);
sparse::SparseModel::Report learn_rows(sparse::SparseModel::State& state,
                                       const sparse::FeatureRows& rows);
sparse::SparseModel::Report fit_rows(sparse::SparseModel::State& state,
                                     const sparse::FeatureRows& rows);
// Learns rows without repeated keys once, and keeps what each said: for each key `lanes` taus and as many rhos.
sparse::SparseModel::Report learn_with_messages(sparse::SparseModel::State& state,
                                                const sparse::FeatureRows& rows,
                                                std::vector<float>& messages);

// Models side by side that do not count any more, or cannot be afforded, are given up. Beliefs of all come to the
// same as rows are many, so that one that has fallen behind does not return. Looked at when rows are twice as many as before. The
// others, if some are given up; `weights` are those of the whole model.
std::optional<std::vector<std::size_t>> lanes_to_keep(const sparse::SparseModel::State& state,
                                                      std::size_t rows_before, std::size_t weights);

// Repeated keys of a row as one input with the sum of their values: a weight has one message of a row.
sparse::FeatureRows without_repeats(const sparse::FeatureRows& rows);

}  // namespace postrider::internal::hashed
