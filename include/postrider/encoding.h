// How columns of numbers become the inputs of networks.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "postrider/export.h"

namespace postrider {

// standard: the number itself, with mean 0 and standard deviation 1; columns of zeros and ones keep their zeros.
// quantile: its rank among the numbers learned, as a standard normal number. piecewise: one input for each knot, 1 at
// it and 0 at the knots beside it, with straight lines between. bins: one input for each bin, 1 in the number's own,
// and its rank.
// Knots and bins are where the target changes. relevance: standard, times how much the column matters, for few rows.
// chosen: by a short race of ensembles, judged by rows that they have not learned, one for all columns; relevance where rows are too
// few for it.
enum class Encoding { chosen, standard, quantile, piecewise, bins, relevance };
POSTRIDER_EXPORT std::string_view to_string(Encoding encoding);

// How one column is encoded.
struct POSTRIDER_EXPORT ColumnEncoding {
  Encoding kind = Encoding::standard;  // never chosen
  double mean = 0, unit = 1;           // of the numbers learned; relevance: divided by it
  // Rising. piecewise: the knots. bins: what lies between bins, one fewer than there are.
  std::vector<double> knots = {};
  // For quantile and bins: numbers whose ranks are at even distances, from the least to the greatest.
  std::vector<double> ranks = {};

  std::size_t inputs() const;
  bool operator==(const ColumnEncoding&) const = default;
};

}  // namespace postrider
