#include "estimator/conformal_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "estimator/standard_normal.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Beyond this the probability above a value rounds to nothing.
constexpr double kFarthest = 8;

struct WeighedScore {
  double score, weight;
};

}  // namespace

LeftOutScores::LeftOutScores(std::vector<double> scores, std::span<const double> weights) {
  if (scores.empty()) return;
  std::vector<WeighedScore> ordered;
  for (std::size_t i = 0; i < scores.size(); ++i)
    ordered.push_back({scores[i], weights.empty() ? 1 : weights[i]});
  std::ranges::stable_sort(ordered, {}, &WeighedScore::score);
  const std::size_t count = std::min(scores.size(), kMostKept);
  if (weights.empty() && count == scores.size()) {
    for (const WeighedScore& each : ordered) kept_.push_back(each.score);
    return;
  }
  // With one row more that is as new as those to come: rank k of count + 1 is its share of all weight.
  const double all =
      std::accumulate(ordered.begin(), ordered.end(), 0.0,
                      [](double sum, const WeighedScore& each) { return sum + each.weight; });
  const double with_new = all + all / static_cast<double>(scores.size());
  double so_far = ordered.front().weight;
  for (std::size_t k = 1, at = 0; k <= count; ++k) {
    const double wanted = with_new * static_cast<double>(k) / static_cast<double>(count + 1);
    while (so_far < wanted && at + 1 < ordered.size()) so_far += ordered[++at].weight;
    kept_.push_back(ordered[at].score);
  }
}

LeftOutScores LeftOutScores::of_kept(std::vector<double> kept) {
  const bool is_score =
      std::ranges::all_of(kept, [](double score) { return score >= 0 && score <= kFarthest; });
  if (!is_score || !std::ranges::is_sorted(kept) || kept.size() > kMostKept)
    reject("left_out", kept.size(), "must be scores in order");
  LeftOutScores out;
  out.kept_ = std::move(kept);
  return out;
}

double LeftOutScores::reach(double level) const {
  const auto count = static_cast<double>(kept_.size());
  const auto rank = static_cast<std::size_t>(std::ceil(level * (count + 1)));
  if (rank <= kept_.size()) return kept_[std::max<std::size_t>(rank, 1) - 1];
  return std::max(kept_.empty() ? 0 : kept_.back(), gaussian_reach(level));
}

double LeftOutScores::level_of(double score) const {
  const auto below = std::ranges::lower_bound(kept_, score) - kept_.begin();
  const double level = static_cast<double>(below) / static_cast<double>(kept_.size() + 1);
  if (static_cast<std::size_t>(below) < kept_.size()) return level;
  return std::max(level, 1 - 2 * tail_of(score));
}

double gaussian_reach(double level) {
  return std::min(-standard_quantile(0.5 * (1 - level)), kFarthest);
}

double score_of(double below) {
  const double tail = std::min(below, 1 - below);
  return tail > 0 ? std::min(-standard_quantile(tail), kFarthest) : kFarthest;
}

double tail_of(double reach) { return standard_below(-reach); }

namespace {

// A step is kFirst / (kEarly + rows) at first, and this later: intervals of 90 % then vary by some percent in width, and the
// share that a thousand rows have in them by half a percent.
constexpr double kStep = 0.02, kFirst = 2, kEarly = 20;

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
