// Models side by side: the same rows under several prior variances, one model in each lane, weighted by how well each predicted
// the rows before it learned them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal::hashed {

inline constexpr std::size_t kMostLanes = 8;

// One number of each lane; those beyond the lanes in use are 0.
using PerLane = std::array<double, kMostLanes>;

// Beliefs in the scores of one row, or in another number that each lane has.
struct LaneMoments {
  PerLane mean{}, variance{};
};

struct Bank {
  std::size_t lanes = 0;
  PerLane prior{};       // variance of a weight, for inputs whose mean square is 1
  PerLane log_score{};   // sum over rows of the log-probability of what was seen
  double forgotten = 0;  // share of the scores, with each row
  PerLane drift{};       // share of a belief's information that is lost when a row touches it

  // Prior variances from 0.01 to 31.6, each the square root of ten times the one before.
  static Bank usual();
  // Two prior variances with four rates of drift each, none and 1e-4 to 1e-2. Scores are then forgotten as well, a thousandth with
  // each row, so that another rate can take over.
  static Bank drifting();

  // How much each lane counts; they sum to 1.
  PerLane shares() const;
  // log of the sum of share exp(log_z).
  double mixed(const PerLane& shares, const PerLane& log_z) const;
  void add(const PerLane& log_z, double weight);

  // 1, 2, 4 or 8 lanes, in their order: the fewest that leave out less than `share` in all; at most `most`.
  std::vector<std::size_t> lanes_worth_keeping(double share, std::size_t most) const;
  void keep(std::span<const std::size_t> kept);

  bool has_drift() const { return *std::max_element(drift.begin(), drift.end()) > 0; }
};

// The variance of a belief that has lost a share of what it knows beyond its prior: precision falls towards the prior's, and the mean
// stays, as in a random walk that the prior bounds.
template <class T>
inline T drifted(T variance, T prior, T share) {
  const T known = 1 / variance - 1 / prior;
  return known > 0 ? 1 / (1 / prior + (1 - share) * known) : variance;
}

// The kept lanes first, then zeros.
PerLane kept_of(const PerLane& values, std::span<const std::size_t> kept);

}  // namespace postrider::internal::hashed
