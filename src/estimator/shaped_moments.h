// Moments of a predicted distribution that a learned shape bends.
//
// F and f are the mixture's distribution function and density, G the shape's (unit_shape.h), Y the target in its unit, M and V the mixture's
// own moments. By parts, with D = F - G(F), which vanishes at both ends,
//   E[Y] = M + int D dY,   E[(Y - M)^2] = V + int 2 (Y - M) D dY.
// D has the slope f (1 - g(F)), so that it is a cubic between two places: nothing is asked twice, and no quantile. Pieces
// between places are halved until each has little of the mass and of the variance.
#pragma once

#include <span>

#include "estimator/distributions.h"

namespace postrider::internal {

// Noise keeps its part of the variance.
Moments shaped_moments(const TargetColumn& column, std::span<const Outlook> members,
                       const UnitShape& shape, const Moments& plain);

}  // namespace postrider::internal
