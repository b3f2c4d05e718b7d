#include "spread.h"

#include <algorithm>
#include <cmath>

namespace postrider::experiments {
namespace {

constexpr std::size_t kBootstraps = 2000;
// sqrt(pi/2) deviations, and the quartiles of a bell lie 1.349 deviations apart.
constexpr double kErrorPerRange = 1.2533 / 1.349;

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  const std::size_t j = std::min(i + 1, sorted.size() - 1);
  return std::lerp(sorted[i], sorted[j], place - static_cast<double>(i));
}

}  // namespace

Spread spread(std::vector<double> values, RandomStream random) {
  std::sort(values.begin(), values.end());
  double sum = 0, squares = 0;
  const double centre = quantile(values, 0.5);
  std::vector<double> again(values.size());
  for (std::size_t n = 0; n < kBootstraps; ++n) {
    for (double& x : again) x = values[random.below(values.size())];
    std::sort(again.begin(), again.end());
    const double gap = quantile(again, 0.5) - centre;
    sum += gap / kBootstraps;
    squares += gap * gap / kBootstraps;
  }
  return {centre, quantile(values, 0.75) - quantile(values, 0.25),
          std::sqrt(std::max(squares - sum * sum, 0.0))};
}

Spread bell_spread(double median, double range, std::size_t count) {
  return {median, range, kErrorPerRange * range / std::sqrt(static_cast<double>(count))};
}

}  // namespace postrider::experiments
