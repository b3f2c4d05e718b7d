// Sites that are given by their log-density alone: tilted moments by the trapezoid rule.
//
// About the present guess c and L L' of the tilted belief, z = c + L sinh(t): near the guess the nodes are a fraction of its
// deviation apart, and they reach nine deviations of the cavity on either side, so that heavy tails are seen as well. Where the
// moments found are far from the guess they become the next guess. For smooth densities the rule's error falls exponentially.
#pragma once

#include <memory>

#include "factor/site.h"
#include "postrider/graph/log_density.h"

namespace postrider::internal {

using graph::LogDensityOfRows;

// Quick ones have six digits and more, and serve models of many rows; fine ones, for factors by themselves, nine and more of one edge.
enum class Nodes { quick, fine };

// `least_precision` as of SiteRule: 0 for densities whose logarithm is concave.
std::unique_ptr<SiteRule> density_site(LogDensityOfRows log_density, std::size_t edges,
                                       double least_precision = 0, Nodes nodes = Nodes::quick);

}  // namespace postrider::internal
