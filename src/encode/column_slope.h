// How the inputs of one column change with its number.
#pragma once

#include <cstddef>

#include "encode/column_code.h"
#include "postrider/encoding.h"

namespace postrider::internal {

// d normal_rank(x)/dx; 0 at a number that several ranks share.
double normal_rank_slope(const ColumnEncoding& column, double x);

// Calls add(input, derivative) for the inputs that encode_number() tells. Bins change by jumps, whose derivative is 0.
template <class Add>
void encode_slope(const ColumnEncoding& column, double x, Add&& add) {
  switch (column.kind) {
    case Encoding::quantile:
      add(0, normal_rank_slope(column, x));
      return;
    case Encoding::piecewise: {
      const std::size_t at = place_among(column.knots, x).at;
      const double slope = 1 / (column.knots[at + 1] - column.knots[at]);
      add(at, -slope);
      add(at + 1, slope);
      return;
    }
    case Encoding::bins:
      add(column.knots.size() + 1, normal_rank_slope(column, x));
      return;
    case Encoding::standard:
    case Encoding::relevance:
    case Encoding::chosen:
      add(0, 1 / column.unit);
  }
}

}  // namespace postrider::internal
