// What all weights share, as whole sums: see SparseSums. Lanes keep their numbers when others are given up.
#pragma once

#include <cstdint>
#include <vector>

#include "postrider/sparse/shards.h"
#include "sparse/state.h"

namespace postrider::internal::hashed {

// The sums of a model that has learned nothing.
sparse::SparseSums no_sums(const sparse::SparseModel::State& fresh);

// Numbers of the lanes in a set of bits.
std::vector<std::size_t> lanes_in(std::uint64_t bits);
std::uint64_t bits_of(const sparse::SparseSums& sums);
// Inputs of all rows.
double inputs_of(const sparse::SparseSums& sums);
// Whether the numbers can be sums: their count, and which lanes are kept. `lanes` are those at the beginning.
bool are_sums(const sparse::SparseSums& sums, std::size_t lanes);

// Only the lanes that are kept stay in a fresh model, with what the sums say.
void restore(const sparse::SparseSums& sums, sparse::SparseModel::State& to);
// What a model, made by restore(), has learned since.
sparse::SparseSums learned_since(const sparse::SparseSums& sums,
                                 const sparse::SparseModel::State& before,
                                 const sparse::SparseModel::State& after);
// False, and nothing is added, where a number would leave its range.
bool add(const sparse::SparseSums& changes, sparse::SparseSums& to);
void keep_lanes(std::uint64_t bits, sparse::SparseSums& sums);

}  // namespace postrider::internal::hashed
