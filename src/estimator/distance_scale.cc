#include "estimator/distance_scale.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kKnots = 64;
const double kUniformDeviation = 1 / (2 * std::numbers::sqrt3);  // of a number between 0 and 1

std::vector<double> known(std::span<const double> numbers) {
  std::vector<double> out;
  for (const double x : numbers)
    if (!std::isnan(x)) out.push_back(x);
  return out;
}

bool ascends(const std::vector<double>& numbers) {
  return std::ranges::adjacent_find(numbers, std::greater_equal{}) == numbers.end();
}

bool is_finite(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

}  // namespace

DistanceScale::DistanceScale(std::vector<double> at, std::vector<double> to)
    : at_(std::move(at)), to_(std::move(to)) {
  if (at_.size() != to_.size() || at_.size() == 1 || !ascends(at_) || !is_finite(at_) ||
      !is_finite(to_))
    reject("knots", at_.size(), "must be two or more, in ascending order, with a number for each");
}

DistanceScale DistanceScale::standard(std::span<const double> numbers) {
  const std::vector<double> all = known(numbers);
  double mean = 0, squares = 0;
  for (const double x : all) mean += x / static_cast<double>(all.size());
  for (const double x : all) squares += (x - mean) * (x - mean) / static_cast<double>(all.size());
  const double deviation = std::sqrt(squares);
  if (!(mean + deviation > mean) || !std::isfinite(mean + deviation)) return {};
  return {{mean, mean + deviation}, {0, 1}};
}

DistanceScale DistanceScale::ranks(std::vector<double> numbers) {
  numbers = known(numbers);
  std::ranges::sort(numbers);
  const auto count = static_cast<double>(numbers.size());
  std::vector<double> at, to;
  for (std::size_t k = 0; k <= kKnots && !numbers.empty(); ++k) {
    const double x = numbers[k * (numbers.size() - 1) / kKnots];
    if (!at.empty() && at.back() == x) continue;
    const auto first = std::ranges::lower_bound(numbers, x),
               last = std::ranges::upper_bound(numbers, x);
    const double middle =
        0.5 * static_cast<double>((first - numbers.begin()) + (last - numbers.begin()));
    at.push_back(x);
    to.push_back((middle / count - 0.5) / kUniformDeviation);
  }
  if (at.size() < 2) return {};
  return {std::move(at), std::move(to)};
}

void DistanceScale::stretch(double factor) {
  for (double& each : to_) each *= factor;
}

double DistanceScale::operator()(double number) const {
  if (at_.empty() || std::isnan(number)) return 0;
  const auto above = std::ranges::upper_bound(at_, number);
  const auto right = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
      above - at_.begin(), 1, static_cast<std::ptrdiff_t>(at_.size()) - 1));
  const double share = (number - at_[right - 1]) / (at_[right] - at_[right - 1]);
  return to_[right - 1] + share * (to_[right] - to_[right - 1]);
}

}  // namespace postrider::internal
