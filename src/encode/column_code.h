// One number of a column as inputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "postrider/encoding.h"

namespace postrider::internal {

// Where a number lies in a rising sequence of at least two: between `at` and the next, at the share `part` of the
// way. Before the first and after the last the share leaves [0, 1].
struct KnotPlace {
  std::size_t at;
  double part;
};
KnotPlace place_among(const std::vector<double>& knots, double x);

// The standard normal number whose rank among others is that of x among the numbers learned. Beyond all of them it
// goes on in the column's unit.
double normal_rank(const ColumnEncoding& column, double x);

// Calls add(input, value) for the inputs of this column that are not zero, in ascending order.
template <class Add>
void encode_number(const ColumnEncoding& column, double x, Add&& add) {
  switch (column.kind) {
    case Encoding::quantile:
      add(0, normal_rank(column, x));
      return;
    case Encoding::piecewise: {
      // Beyond the outermost knots the last line goes on: doubt grows as the weights at its ends leave it open.
      const KnotPlace place = place_among(column.knots, x);
      add(place.at, 1 - place.part);
      add(place.at + 1, place.part);
      return;
    }
    case Encoding::bins: {
      const auto bin = std::ranges::lower_bound(column.knots, x) - column.knots.begin();
      add(static_cast<std::size_t>(bin), 1.0);
      add(column.knots.size() + 1, normal_rank(column, x));
      return;
    }
    case Encoding::standard:
    case Encoding::relevance:
    case Encoding::chosen:
      add(0, (x - column.mean) / column.unit);
  }
}

// Throws InvalidArgument if it makes no sense.
void expect_sound(const ColumnEncoding& column);

// --- How the inputs of one column change with its number.

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
