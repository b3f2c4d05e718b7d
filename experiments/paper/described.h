// What result files say of many seeds.
#pragma once

#include <vector>

#include "common/program.h"
#include "trained.h"

namespace postrider::experiments {

// Median, its interval, the range between the quartiles, mean.
Object describe_values(const std::vector<double>& values, const Settings& settings);

// At each place: the quartiles over the rows.
Object quartiles(const std::vector<std::vector<double>>& rows);

// Quartiles over the outcomes, and of the points of all together.
Object describe_coverage(const std::vector<Outcome>& outcomes);

}  // namespace postrider::experiments
