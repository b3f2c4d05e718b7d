// The diagonal Laplace approximation of the small network.
#pragma once

#include "baselines/arm.h"

namespace postrider::experiments {

// One arm per prior: as the paper prints it, and that of message passing.
std::vector<Arm> run_laplace(const Settings& settings);
Part describe_laplace(const std::vector<Arm>& arms, const Settings& settings);
Object summarise_laplace(const std::vector<Arm>& arms, const Settings& settings, Part& part);

}  // namespace postrider::experiments
