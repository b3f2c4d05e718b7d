#include "estimator/copies.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace postrider {
namespace {

// Below this power the two ways hardly differ.
constexpr double kWorthChoosing = 1.1;
// As good as no damping, but for groups of several rows: they are predicted as those of damped networks are, so
// that networks of both ways can be in one vector, and their scores compared.
constexpr double kHardlyDamped = 1e-9;

// The mean over networks that have learned something; minus infinity if none has.
double mean_score(std::span<const TrainingOutcome> outcomes) {
  double sum = 0, count = 0;
  for (const TrainingOutcome& outcome : outcomes) {
    const double score = outcome.report.best_score();
    if (!std::isfinite(score)) continue;
    sum += score;
    count += 1;
  }
  return count > 0 ? sum / count : -std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<double> dampings_to_try(const EstimatorOptions& options, double power,
                                    std::size_t weights) {
  const double apart = std::max(0.0, 1 - 1 / power);
  const double asked = options.training.damping;
  if (options.copies == Copies::apart) return {std::max(asked, apart)};
  const bool is_chosen = options.copies == Copies::chosen && asked == 0 &&
                         power >= kWorthChoosing && fit_the_cache(weights);
  return is_chosen ? std::vector<double>{kHardlyDamped, apart} : std::vector<double>{asked};
}

std::vector<Member> members_to_try(std::vector<Member> members, std::size_t ways) {
  const std::size_t count = members.size();
  members.reserve(ways * count);
  for (std::size_t m = count; m < ways * count; ++m) members.push_back(members[m - count]);
  return members;
}

std::size_t keep_best_way(std::size_t ways, std::vector<Member>& members,
                          std::vector<TrainingOutcome>& outcomes) {
  const std::size_t count = members.size() / ways;
  std::size_t best = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t way = 0; way < ways; ++way) {
    const double score = mean_score(std::span(outcomes).subspan(way * count, count));
    if (!(score > highest)) continue;
    highest = score;
    best = way;
  }
  const auto keep = [&](auto& all) {
    std::vector kept(
        std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(best * count)),
        std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>((best + 1) * count)));
    all = std::move(kept);
  };
  keep(members);
  keep(outcomes);
  for (TrainingOutcome& outcome : outcomes)
    if (outcome.report.damping == kHardlyDamped) outcome.report.damping = 0;
  return best;
}

}  // namespace postrider
