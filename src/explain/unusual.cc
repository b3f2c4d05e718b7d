#include "explain/unusual.h"

#include <algorithm>
#include <cmath>

#include "estimator/standard_normal.h"

namespace postrider::internal {
namespace {

// The share of a variance that two ways of adding it up may differ by.
constexpr double kRounding = 1e-9;

// The square of 0 and of 1 is itself: no other column within [0, 1] has the variance m - m^2.
bool is_category(double value, const Estimator::ColumnScale& scale) {
  const double variance = scale.mean * (1 - scale.mean);
  return (value == 0 || value == 1) && variance > 0 &&
         std::abs(scale.std * scale.std - variance) <= kRounding * variance;
}

double unusualness(double value, const Estimator::ColumnScale& scale) {
  if (std::isnan(value)) return 0;
  if (!is_category(value, scale)) return std::abs(value - scale.mean) / scale.std;
  return -standard_quantile(0.5 * (value == 1 ? scale.mean : 1 - scale.mean));
}

}  // namespace

double unusualness(std::span<const double> row, std::span<const std::size_t> group,
                   std::span<const Estimator::ColumnScale> scales) {
  double out = 0;
  for (const std::size_t k : group) out = std::max(out, unusualness(row[k], scales[k]));
  return out;
}

}  // namespace postrider::internal
