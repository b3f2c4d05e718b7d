// Numbers that no network can take.
#pragma once

#include <span>
#include <vector>

#include "data/standardise.h"
#include "data/target_scales.h"
#include "postrider/estimator.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// Beyond it, squares with some room are no numbers.
inline constexpr double kLargestNumber = 1e120;

// The first of each row, in the order of the rows. Rows have the columns of the scales.
std::vector<Estimator::UnusableNumber> unusable_inputs(const Scales& scales, const Inputs& inputs);
std::vector<Estimator::UnusableNumber> unusable_targets(const TargetScales& scales,
                                                        std::span<const double> targets);

// Throws InvalidArgument that names this field, if there are any.
void expect_none(const char* field, const std::vector<Estimator::UnusableNumber>& unusable);
// Throws InvalidArgument if a value is infinite, or too large for a square: for rows that have no scales yet.
void expect_finite(const char* field, std::span<const double> values);

}  // namespace postrider::internal
