// The units in which the targets of a regression are learned.
#pragma once

#include <cstddef>
#include <span>

#include "data/standardise.h"

namespace postrider {

// Predicted variances are in squares of the targets' unit. A standard deviation below this has no
// square that is a number with all its digits, once noise far below it is asked for, too.
inline constexpr double kLeastTargetUnit = 1e-120;

// As scales_of(), of targets. Throws InvalidArgument if a column varies, but by less than
// kLeastTargetUnit: the message says by what to multiply.
// Of scales that were found already.
void expect_target_units(const Scales& targets);
Scales target_scales(std::span<const double> targets, std::size_t columns,
                     std::span<const double> weights = {});

}  // namespace postrider
