// How far training targets lay from what was predicted of them without them, and the intervals that
// would have held them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

// Scores of rows by their places among those learned.
struct ScoresOfRows {
  std::vector<std::uint32_t> rows = {};
  std::vector<double> scores = {};

  void add(std::uint32_t row, double score) {
    rows.push_back(row);
    scores.push_back(score);
  }
};

// How far the interval of a level reaches where predicted distributions are right.
double gaussian_reach(double level);
// The score of a target, from the probability of less than it.
double score_of(double below);
// The probability below the interval that reaches a score, which is that above it, too.
double tail_of(double reach);

// --- How far intervals reach in a stream: as far as held the right share of the rows so far.

// For levels L_1 < L_2 < ... the reach q_k of each, as a score (see LeftOutScores). A row whose score is z moves it by
//   q_k <- max(0, q_k + s (1[z > q_k] - (1 - L_k))),
// so that over n rows of one step s the share of rows that were held differs from L_k by (q_k now - q_k then) / (s n): whatever the
// rows are, coverage comes to what it promises. Early steps are longer.
class StreamReach {
 public:
  static constexpr std::array kLevels{0.05, 0.1, 0.15, 0.2,   0.25, 0.3,  0.35, 0.4,
                                      0.45, 0.5, 0.55, 0.6,   0.65, 0.7,  0.75, 0.8,
                                      0.85, 0.9, 0.95, 0.975, 0.99, 0.995};
  static constexpr std::size_t kNumbers = kLevels.size() + 1;

  // Begins with what rows told that were left out, or with a Gaussian's if there are none.
  explicit StreamReach(const LeftOutScores& first);
  // As numbers() were. Throws InvalidArgument if they make no sense.
  explicit StreamReach(std::span<const double> numbers);
  // The reach of each level, and the rows so far.
  std::vector<double> numbers() const;

  // A row that counts so much, before it is learned.
  void observe(double score, double weight);

  // As of LeftOutScores.
  double reach(double level) const;
  double level_of(double score) const;

 private:
  std::array<double, kLevels.size()> reach_;  // as they were moved: not always in order
  double rows_ = 0;
};

}  // namespace postrider::internal
