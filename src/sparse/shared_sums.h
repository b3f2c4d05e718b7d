// What all weights share, as whole sums: see SparseSums. Lanes keep their numbers when others are given up.
#pragma once

#include <cstdint>
#include <vector>

#include "postrider/sparse_shards.h"
#include "sparse/state.h"

namespace postrider::internal::sparse {

// The sums of a model that has learned nothing.
SparseSums no_sums(const SparseModel::State& fresh);

// Numbers of the lanes in a set of bits.
std::vector<std::size_t> lanes_in(std::uint64_t bits);
std::uint64_t bits_of(const SparseSums& sums);
// Inputs of all rows.
double inputs_of(const SparseSums& sums);
// Whether the numbers can be sums: their count, and which lanes are kept. `lanes` are those at the beginning.
bool are_sums(const SparseSums& sums, std::size_t lanes);

// Only the lanes that are kept stay in a fresh model, with what the sums say.
void restore(const SparseSums& sums, SparseModel::State& to);
// What a model, made by restore(), has learned since.
SparseSums learned_since(const SparseSums& sums, const SparseModel::State& before,
                         const SparseModel::State& after);
// False, and nothing is added, where a number would leave its range.
bool add(const SparseSums& changes, SparseSums& to);
void keep_lanes(std::uint64_t bits, SparseSums& sums);

}  // namespace postrider::internal::sparse
