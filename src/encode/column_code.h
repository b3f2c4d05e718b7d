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

}  // namespace postrider::internal
