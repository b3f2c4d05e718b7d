#include "factor/gamma.h"

#include <cmath>

#include "factor/dirichlet.h"

namespace postrider::internal {

double log_events_mass(double shape, double rate, double events, double exposure) {
  // rate^shape/(rate + exposure)^(shape + events), in which nothing large is subtracted.
  const double ratio = exposure / rate;
  const double growth =
      std::isfinite(ratio) ? std::log1p(ratio) : std::log(exposure) - std::log(rate);
  return log_rising(shape, events) - shape * growth -
         (events > 0 ? events * std::log(rate + exposure) : 0);
}

}  // namespace postrider::internal
