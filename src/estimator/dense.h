// What the estimators have in common: hidden layers of one kind under outputs, and checks of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/standardise.h"
#include "postrider/inputs.h"
#include "postrider/network/network.h"

namespace postrider::internal {

struct DenseShape {
  std::vector<std::size_t> hidden;
  network::Activation activation;
  double slope;
  network::Precision precision;
  std::uint64_t seed;
  std::size_t active_inputs = 0;  // of a row that are not zero, on average; 0: all
};

network::NetworkOptions dense_network(const DenseShape& shape, std::size_t inputs,
                                      std::size_t outputs);
// The shape of a network that dense_network described; the default activation if nothing is hidden.
DenseShape shape_of(const network::NetworkOptions& network);

// Throws InvalidArgument if these are not whole rows, or a value is infinite or far from all that was
// learned.
void expect_near(const Scales& scales, const Inputs& inputs);

// The same of the sizes alone.
void expect_whole_rows(const Inputs& inputs, std::size_t columns);

// With their shape, where the rows are counted by another field. Throws InvalidArgument.
Inputs rows_of_inputs(const Inputs& inputs, std::size_t rows, const char* counted_by);

}  // namespace postrider::internal
