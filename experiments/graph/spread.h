// Median, quartiles and how far a median of so many draws strays.
#pragma once

#include <vector>

#include "base/random.h"

namespace postrider::experiments {

struct Spread {
  double median, range;   // between the quartiles
  double standard_error;  // of the median
};

// The standard error by bootstrap: the deviation of the median over draws with replacement.
Spread spread(std::vector<double> values, RandomStream random);

// The standard error that a bell of this interquartile range has.
Spread bell_spread(double median, double range, std::size_t count);

}  // namespace postrider::experiments
