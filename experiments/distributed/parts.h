// The parts of this experiment.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

Part quality(const Settings& settings);
Part guard(const Settings& settings);
Part forgetting(const Settings& settings);
Part merging(const Settings& settings);

}  // namespace postrider::experiments
