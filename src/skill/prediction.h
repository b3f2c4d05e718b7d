// What teams will do: probabilities of ranks, the quality of a match, and fair teams.
#pragma once

#include <functional>

#include "skill/state.h"

namespace postrider::internal::games {

// The performance that is expected of a side, and what of its variance is noise of one match.
struct Expected {
  Moments performance;
  double noise;
};

// Row by row, the probability that a side has a rank, in the order of performances.
std::vector<double> rank_probabilities(std::span<const Expected> sides);
// The density of no difference at all, relative to sides of equal and known skill.
double match_quality(std::span<const Expected> sides);
// The team of each player, given their expected performances, such that the quality of the match is highest.
std::vector<std::uint32_t> fair_split(std::span<const Expected> players, std::size_t teams);

}  // namespace postrider::internal::games
