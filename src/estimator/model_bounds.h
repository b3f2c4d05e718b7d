// What a model read from a file must keep to, so that no prediction of it aborts.
#pragma once

#include <string>

#include "estimator/model_file.h"

namespace postrider::internal {

// What is wrong with its numbers, in words; empty if nothing is.
//
//   beliefs       proper, and not less certain than their priors but for rounding: data can only add
//                 precision
//   noise         variances in standardised units, from 1e-30 to 1e30: their inverses are numbers
//                 in float, too
//   temperature   from 1e-3 to 1e3; training looks between e^-2.5 and e^2.5
//   scales        means that are numbers, deviations from 1e-300 to 1e300
std::string trouble_with(const FittedModel& model, bool drifts = false);

}  // namespace postrider::internal
