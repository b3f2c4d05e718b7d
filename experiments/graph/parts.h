// Models whose answers linear algebra knows, and skills from real games.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

Part trees(const Settings& settings);
Part chain(const Settings& settings);
Part convergence(const Settings& settings);
Part skill(const Settings& settings);  // needs Settings::data
Part networks(const Settings& settings);

}  // namespace postrider::experiments
