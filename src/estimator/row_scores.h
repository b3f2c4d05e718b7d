// How well rows were predicted that were not learned, one by one.
#pragma once

#include <cstdint>
#include <vector>

namespace postrider {

// Log-likelihoods of some rows; empty if nothing could be learned.
struct RowScores {
  std::vector<std::uint32_t> rows = {};  // ascending
  std::vector<double> scores = {};

  // Minus infinity of no rows.
  double mean() const;
};

// The difference of two, by the rows that both have.
struct ScoreDifference {
  double mean = 0, standard_error = 0;

  // By more than twice the standard error.
  bool is_clear() const;
};
// How far `a` is above `b`; infinitely, if `b` has no rows or makes one impossible, and `a` has not.
ScoreDifference difference(const RowScores& a, const RowScores& b);

}  // namespace postrider
