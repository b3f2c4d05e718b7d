// All numbers of rows of inputs, and checks of those that are given.
#pragma once

#include <vector>

#include "postrider/inputs.h"

namespace postrider::internal {

// All numbers of rows whose shape is known.
std::vector<double> all_numbers(const Inputs& rows);

// Throws InvalidArgument if sparse rows make no sense: places or sizes; or if inputs have variances, which estimators cannot take.
void expect_sound(const Inputs& rows);

}  // namespace postrider::internal
