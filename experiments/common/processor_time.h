// Time that a computation takes, whatever else the machine does.
#pragma once

namespace postrider::experiments {

// Seconds that the calling thread has had of a processor so far.
double processor_seconds();

}  // namespace postrider::experiments
