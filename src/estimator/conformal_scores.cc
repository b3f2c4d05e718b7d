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

}  // namespace postrider::internal
