// Probabilities of classes from their scores, with threads that are there already.
#pragma once

#include <vector>

#include "base/workers.h"
#include "postrider/trainer.h"

namespace postrider {

std::vector<double> class_probabilities(const OutputRows& scores, std::size_t outputs,
                                        double noise_variance, Workers& workers,
                                        double temperature);

}  // namespace postrider
