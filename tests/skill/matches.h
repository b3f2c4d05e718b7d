// Matches as tests write them, and the normal distribution from the standard library alone.
#pragma once

#include <cmath>
#include <vector>

#include "postrider/skill/history.h"

namespace postrider::skill {

inline SkillHistory::Team team(const std::vector<Player>& players, double rank) {
  SkillHistory::Team out;
  for (const Player player : players) out.players.push_back({player});
  out.rank = rank;
  return out;
}
inline SkillHistory::Match duel(Player a, Player b, double rank_a, double rank_b, double time) {
  return {{team({a}, rank_a), team({b}, rank_b)}, time};
}

inline double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
inline double density(double x, double mean, double variance) {
  const double gap = x - mean;
  return std::exp(-gap * gap / (2 * variance)) / std::sqrt(2 * std::acos(-1.0) * variance);
}
// The mass of N(mean, variance) in an interval.
inline double between(double low, double high, double mean, double variance) {
  return below((high - mean) / std::sqrt(variance)) - below((low - mean) / std::sqrt(variance));
}

}  // namespace postrider::skill
