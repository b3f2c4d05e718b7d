// Sites of two edges (u, v) that are simple in v once u is known: a product, a number whose log-variance is u, an item answered by a person.
//
// With the cavity N(m, C), v given u is Gaussian, and so is, or almost, what the factor leaves of it: mass, mean and variance in closed
// form. What remains is an integral over u alone, by the trapezoid rule over sinh-spaced nodes (density_site.h). A lattice in both, which a
// narrow ridge u v = y would fall through, is not needed.
#pragma once

#include <functional>
#include <memory>

#include "factor/site.h"

namespace postrider::internal {

struct GivenFirst {
  double log_mass, mean, variance;  // of v under N(mean, variance) times factor
};
// For a row at u, with v ~ N(mean, variance) beforehand.
using TiltGivenFirst =
    std::function<GivenFirst(std::uint32_t row, double u, double mean, double variance)>;
// log f of a row at (u, v).
using LogDensityOfTwo = std::function<double(std::uint32_t row, double u, double v)>;

std::unique_ptr<SiteRule> nested_site(TiltGivenFirst given, LogDensityOfTwo log_density,
                                      double least_precision);

}  // namespace postrider::internal
