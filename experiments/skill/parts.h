// Skills through time from real and from generated games.
#pragma once

#include "common/program.h"

namespace postrider::experiments {

Part football(const Settings& settings);  // needs Settings::data
Part halo2(const Settings& settings);     // needs Settings::data
Part scale(const Settings& settings);

}  // namespace postrider::experiments
