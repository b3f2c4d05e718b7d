#include "estimator/stream_reach.h"

#include <algorithm>
#include <cmath>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// A step is kFirst / (kEarly + rows) at first, and this later: intervals of 90 % then vary by some percent in width, and the
// share that a thousand rows have in them by half a percent.
constexpr double kStep = 0.02, kFirst = 2, kEarly = 20;
// A score is not larger.
constexpr double kFarthest = 8;

}  // namespace

StreamReach::StreamReach(const LeftOutScores& first) {
  for (std::size_t k = 0; k < kLevels.size(); ++k) reach_[k] = first.reach(kLevels[k]);
  rows_ = static_cast<double>(first.kept().size());
}

StreamReach::StreamReach(std::span<const double> numbers) {
  const bool makes_sense =
      numbers.size() == kNumbers && std::ranges::all_of(numbers, [](double x) { return x >= 0; }) &&
      std::ranges::all_of(numbers.first(kLevels.size()), [](double x) { return x <= kFarthest; }) &&
      std::isfinite(numbers.back());
  if (!makes_sense) reject("stream.reach", numbers.size(), "must be what a stream had written");
  std::ranges::copy(numbers.first(kLevels.size()), reach_.begin());
  rows_ = numbers.back();
}

std::vector<double> StreamReach::numbers() const {
  std::vector<double> out(reach_.begin(), reach_.end());
  out.push_back(rows_);
  return out;
}

void StreamReach::observe(double score, double weight) {
  const double step = weight * std::max(kStep, kFirst / (kEarly + rows_));
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    const double missed = score > reach_[k] ? 1 : 0;
    reach_[k] = std::clamp(reach_[k] + step * (missed - (1 - kLevels[k])), 0.0, kFarthest);
  }
  rows_ += weight;
}

// Straight between the levels, in units of a Gaussian's reach; as a Gaussian beyond the last.
double StreamReach::reach(double level) const {
  double below = 0, at_below = 0;
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    const double above = std::max(below, reach_[k]);
    if (level <= kLevels[k]) {
      const double from = gaussian_reach(at_below), to = gaussian_reach(kLevels[k]);
      return below + (above - below) * (gaussian_reach(level) - from) / (to - from);
    }
    below = above;
    at_below = kLevels[k];
  }
  return std::min(kFarthest, below + gaussian_reach(level) - gaussian_reach(kLevels.back()));
}

// The reach rises with the level.
double StreamReach::level_of(double score) const {
  double low = 0, high = 1;
  constexpr int kHalvings = 50;
  for (int halving = 0; halving < kHalvings; ++halving) {
    const double middle = 0.5 * (low + high);
    if (middle <= 0 || middle >= 1) break;
    (reach(middle) < score ? low : high) = middle;
  }
  return low;
}

}  // namespace postrider::internal
