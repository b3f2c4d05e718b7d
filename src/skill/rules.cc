#include "skill/rules.h"

#include <cmath>
#include <limits>

namespace postrider::internal::games {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kTabulated = 64;

double square(double x) { return x * x; }

}  // namespace

Rules::Rules(const skill::SkillOptions& options)
    : options_(options),
      performance_(square(options.performance_std)),
      drift_(square(options.dynamics_std)),
      ground_drift_(square(options.home_dynamics_std)),
      ground_prior_(
          HWY_NAMESPACE::message_of(Moments{options.home_advantage, square(options.home_std)})) {
  for (std::size_t points = 0; uses_scores() && points < kTabulated; ++points)
    bounds_.push_back(options.score_unit *
                      std::pow(static_cast<double>(points), options.score_power));
}

Message Rules::prior(ChainId chain, double age) const {
  if (is_ground(chain)) return ground_prior_;
  return HWY_NAMESPACE::message_of(
      Moments{options_.mean - options_.newcomer_trend * age, square(options_.std)});
}

double Rules::margin(std::size_t players_a, std::size_t players_b) const {
  if (!options_.margin_grows) return options_.draw_margin;
  return options_.draw_margin * std::sqrt(0.5 * static_cast<double>(players_a + players_b));
}

double Rules::bound(double points) const {
  if (points < static_cast<double>(bounds_.size()))
    return bounds_[static_cast<std::size_t>(points)];
  return options_.score_unit * std::pow(points, options_.score_power);
}

Gap Rules::result(const SideRecord& a, const SideRecord& b) const {
  const double at = margin(a.players, b.players);
  return a.rank == b.rank ? Gap{-at, at} : Gap{at, kInfinity};
}

Gap Rules::score(const SideRecord& a, const SideRecord& b) const {
  const Gap plain = result(a, b);
  const double points = a.score - b.score;  // NaN where one is not known
  // A rank that the score does not explain, as after penalties, stands for itself.
  if (!uses_scores() || a.rank == b.rank || !(points >= 1)) return plain;
  return {plain.lower + bound(points - 1), plain.lower + bound(points)};
}

}  // namespace postrider::internal::games
