#include "common/spread.h"

#include <algorithm>
#include <cmath>

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kBootstraps = 2000;
constexpr double kTail = 0.025;  // left out of an interval on either side
// sqrt(pi/2) deviations, and the quartiles of a bell lie 1.349 deviations apart.
constexpr double kErrorPerRange = 1.2533 / 1.349;

// The median of as many draws with replacement as `again` has room for, which it then holds, sorted.
double drawn_median(const std::vector<double>& values, std::vector<double>& again,
                    RandomStream& random) {
  for (double& x : again) x = values[random.below(values.size())];
  std::sort(again.begin(), again.end());
  return quantile(again, 0.5);
}

// Sorted.
std::vector<double> drawn_medians(const std::vector<double>& values, std::size_t draws,
                                  RandomStream& random) {
  std::vector<double> out(kBootstraps), again(draws);
  for (double& median : out) median = drawn_median(values, again, random);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  const std::size_t j = std::min(i + 1, sorted.size() - 1);
  return std::lerp(sorted[i], sorted[j], place - static_cast<double>(i));
}

Spread spread(std::vector<double> values, RandomStream random) {
  std::sort(values.begin(), values.end());
  double sum = 0, squares = 0;
  const double centre = quantile(values, 0.5);
  std::vector<double> again(values.size());
  for (std::size_t n = 0; n < kBootstraps; ++n) {
    const double gap = drawn_median(values, again, random) - centre;
    sum += gap / kBootstraps;
    squares += gap * gap / kBootstraps;
  }
  return {centre, quantile(values, 0.75) - quantile(values, 0.25),
          std::sqrt(std::max(squares - sum * sum, 0.0))};
}

Interval median_interval(const std::vector<double>& values, std::size_t draws,
                         RandomStream random) {
  const std::vector<double> medians = drawn_medians(values, draws, random);
  return {quantile(medians, kTail), quantile(medians, 1 - kTail)};
}

double share_of_medians_below(const std::vector<double>& values, std::size_t draws, double limit,
                              RandomStream random) {
  const std::vector<double> medians = drawn_medians(values, draws, random);
  const auto below = std::lower_bound(medians.begin(), medians.end(), limit) - medians.begin();
  return static_cast<double>(below) / static_cast<double>(medians.size());
}

Spread bell_spread(double median, double range, std::size_t count) {
  return {median, range, kErrorPerRange * range / std::sqrt(static_cast<double>(count))};
}

}  // namespace postrider::experiments
