// The messages of expectation propagation against adaptive quadrature of their definition.
#pragma once

#include <cstddef>
#include <cstdint>

namespace postrider::experiments {

// Differences in units of the cavity: of precisions as a share of its precision, of mean times
// precision in its deviations, both relative where the message is stronger than the cavity.
struct SiteAccuracy {
  double product = 0, relu = 0;  // the largest differences
  std::size_t compared = 0, negative = 0, negative_to_term = 0;
  std::size_t signs_differ = 0;  // where the precision is not zero within rounding
};

// For so many random products, a quarter of them with a vague message far away coming back, and as
// many ReLUs, a third of them with a negative precision coming back.
SiteAccuracy site_accuracy(std::uint64_t seed, std::size_t count);

}  // namespace postrider::experiments
