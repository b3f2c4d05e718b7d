#pragma once

#include "bench/epoch/case.h"
#include "postrider/network.h"

namespace postrider::bench {

// Postrider's network for a case.
NetworkOptions network_of(const Case& of);

}  // namespace postrider::bench
