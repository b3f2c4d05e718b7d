#include "certify/rate.h"

#include <cmath>

#include "base/check.h"

namespace postrider::internal {

std::optional<double> power_law_exponent(std::span<const double> x, std::span<const double> y) {
  check(x.size() == y.size(), "pairs");
  if (x.size() < 3) return {};
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / static_cast<double>(x.size());
    mean_y += std::log(y[i]) / static_cast<double>(x.size());
  }
  double cross = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double gap = std::log(x[i]) - mean_x;
    cross += gap * (std::log(y[i]) - mean_y);
    squares += gap * gap;
  }
  return cross / squares;
}

}  // namespace postrider::internal
