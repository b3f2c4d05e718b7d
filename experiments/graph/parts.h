// Models whose answers linear algebra knows.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

Part trees(const Settings& settings);
Part chain(const Settings& settings);

}  // namespace postrider::experiments
