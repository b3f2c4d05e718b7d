// Rows of inputs that are copied, and checks of those that are given.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/inputs.h"

namespace postrider::internal {

// Some rows of others, in the form of these.
class KeptInputs {
 public:
  KeptInputs() = default;
  KeptInputs(const Inputs& all, std::size_t columns, std::span<const std::size_t> rows);

  operator Inputs() const { return is_sparse_ ? Inputs(sparse_) : Inputs(dense_); }

 private:
  bool is_sparse_ = false;
  std::vector<double> dense_;
  SparseInputs sparse_;
};

// All numbers of rows of so many columns.
std::vector<double> all_numbers(const Inputs& rows, std::size_t columns);

// Throws InvalidArgument if sparse rows make no sense: places or sizes. Others always do.
void expect_sound(const Inputs& rows);

}  // namespace postrider::internal
