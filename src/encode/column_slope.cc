#include "encode/column_slope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace postrider::internal {

// With z the standard normal number of probability p: dz/dx = dp/dx / density(z), where p rises evenly between two ranks.
double normal_rank_slope(const ColumnEncoding& column, double x) {
  const std::vector<double>& ranks = column.ranks;
  if (x < ranks.front() || x > ranks.back()) return 1 / column.unit;
  const auto [low, high] = std::equal_range(ranks.begin(), ranks.end(), x);
  if (low != high) return 0;
  const auto count = static_cast<double>(ranks.size());
  const double rise = (1 - 1 / count) / (count - 1) / (*low - *(low - 1));
  const double z = normal_rank(column, x);
  return rise * std::sqrt(2 * std::numbers::pi) * std::exp(0.5 * z * z);
}

}  // namespace postrider::internal
