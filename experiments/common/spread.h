// Median, quartiles and how far a median of so many draws strays.
#pragma once

#include <vector>

#include "base/random.h"

namespace postrider::experiments {
using namespace internal;

// Takes values in ascending order; a straight line between neighbours.
double quantile(const std::vector<double>& sorted, double share);

struct Spread {
  double median, range;   // between the quartiles
  double standard_error;  // of the median
};

// The standard error by bootstrap: the deviation of the median over draws with replacement.
Spread spread(std::vector<double> values, RandomStream random);

struct Interval {
  double low, high;

  bool contains(double x) const { return low <= x && x <= high; }
};

// Where 95 of 100 medians of so many draws with replacement fall. With as many draws as values it
// is the bootstrap interval of their median; with fewer it tells what a smaller study could find.
Interval median_interval(const std::vector<double>& values, std::size_t draws, RandomStream random);

// The share of such medians that are below the limit.
double share_of_medians_below(const std::vector<double>& values, std::size_t draws, double limit,
                              RandomStream random);

// The standard error that a bell of this interquartile range has.
Spread bell_spread(double median, double range, std::size_t count);

}  // namespace postrider::experiments
