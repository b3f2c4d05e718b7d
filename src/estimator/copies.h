// A message that is raised to the power T speaks for T copies of its row. They can be left out together
// while the row is learned, or one of them at a time, which is to keep the share 1 - 1/T of the message
// (damping). Both are fixed points of power expectation propagation. Where functions bend much and noise is
// low the second finds beliefs that predict better; where noise is high it learns the noise, and rows that networks have not
// seen end training before it does.
#pragma once

#include <cstddef>

#include "postrider/estimator_options.h"

namespace postrider::internal {

// The share of messages that networks of so many weights keep while they learn with this power.
double damping_for(const EstimatorOptions& options, double power, std::size_t weights);

}  // namespace postrider::internal
