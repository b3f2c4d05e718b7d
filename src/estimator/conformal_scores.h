// How far training targets lay from what was predicted of them without them, and the intervals that
// would have held them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal {

// The score of a target y whose predicted distribution is F: |z| with z = Phi^-1(F(y)), which is the
// distance in standard deviations where F is a Gaussian. Of n scores the interval of a level reaches to
// the ceil(level (n + 1))-th smallest: it would have held that share of the rows, had each been new.
class LeftOutScores {
 public:
  LeftOutScores() = default;
  // Scores of rows that count by these weights, or all alike. No more than kMostKept are kept: of more, evenly
  // spaced ranks, each rounded up.
  explicit LeftOutScores(std::vector<double> scores, std::span<const double> weights = {});
  // As `kept()` was: in order and not negative. Throws InvalidArgument if they are not.
  static LeftOutScores of_kept(std::vector<double> kept);

  static constexpr std::size_t kMostKept = 1000;

  bool empty() const { return kept_.empty(); }
  const std::vector<double>& kept() const { return kept_; }

  // How far the interval of a level above 0 and below 1 reaches, as a score. Beyond all of them as far as
  // a Gaussian's would, or as the largest.
  double reach(double level) const;
  // The levels above it belong to intervals that reach this score.
  double level_of(double score) const;

 private:
  std::vector<double> kept_;  // in order
};

// How far the interval of a level reaches where predicted distributions are right.
double gaussian_reach(double level);
// The score of a target, from the probability of less than it.
double score_of(double below);
// The probability below the interval that reaches a score, which is that above it, too.
double tail_of(double reach);

}  // namespace postrider::internal
