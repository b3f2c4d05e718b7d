#pragma once

#include "bench/epoch/case.h"
#include "postrider/network/network.h"

namespace postrider::bench {

// Postrider's network for a case.
network::NetworkOptions network_of(const Case& of);

}  // namespace postrider::bench
