// A value that the paper prints against ours.
#pragma once

#include "common/program.h"
#include "common/spread.h"
#include "published.h"

namespace postrider::experiments {

struct Found {
  double median;
  Interval interval;  // of our median
  Interval likely;    // where a median of as many seeds as the paper has falls
  double lower;       // share of such medians below the paper's
};

Found find_median(const std::vector<double>& values, const Published& published,
                  const Settings& settings);
Object describe(const Found& found);

// Judges the paper's value against ours, by one or more readings of what the paper did.
std::string verdict(const Published& published, const std::vector<Found>& readings);
bool is_reproduced(const std::string& verdict);

}  // namespace postrider::experiments
