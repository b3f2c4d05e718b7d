// How often classes count, as users write it.
#pragma once

#include <string>
#include <vector>

#include "postrider/table_model.h"

namespace postrider::cli {

// "balanced", or "yes=2" for each class. Throws InvalidArgument.
ClassWeights class_weights_of(const std::vector<std::string>& words);

}  // namespace postrider::cli
