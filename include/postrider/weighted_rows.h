// Rows that count more or less than once, made ready for an estimator.
#pragma once

#include <cstddef>
#include <vector>

#include "postrider/export.h"
#include "postrider/inputs.h"

namespace postrider {

struct WeightedRows {
  // canonical: an order that depends on nothing but what the rows say, so that what is learned does not
  // depend on the order in which they came.
  enum class Order { given, canonical };

  OwnedInputs inputs;  // in the form of those given
  std::vector<double> targets;
  std::vector<double> weights;  // of each row; empty: all 1

  std::size_t rows = 0;
  std::vector<std::size_t> places = {};  // which of the given rows each is
};

// A row of weight w becomes so many equal rows that none has a weight above 1, but at most 16: the
// belief must move little at a time. A row of weight 0 is not there. Whole weights up to 16 give the
// same rows as repeated ones do. Weights are none or one per row. Throws InvalidArgument if one is
// below 0 or no number, or if no row counts. The order is the same for sparse rows and for those that hold all their numbers.
POSTRIDER_EXPORT WeightedRows weighted_rows(const Examples& rows, WeightedRows::Order order);

}  // namespace postrider
