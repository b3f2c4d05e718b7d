// What a SparseOwner consists of.
#pragma once

#include <string>

#include "postrider/sparse/shards.h"
#include "sparse/shared_sums.h"
#include "sparse/weight_table.h"

namespace postrider::sparse {

struct SparseOwner::State {
  State(const SparseOptions& with, const SparseBatch::Units& of);

  SparseOptions options;
  SparseBatch::Units units;
  std::vector<float> prior;  // variance of each lane at the beginning
  std::uint64_t models;      // lanes that the table has
  // Sums of tau, then of rho, the latter one more than they are: a slot whose first rho is 0 is empty.
  internal::hashed::SumTable sums;
  SparseSums shared;
  std::string note;

  internal::hashed::WeightUnits grid() const;
  void keep(std::uint64_t bits);
};

}  // namespace postrider::sparse
