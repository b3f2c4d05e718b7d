// How well rows were predicted that were not learned, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "postrider/estimator.h"

namespace postrider::internal {

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

  // By more than so many standard errors.
  bool is_clear(double standard_errors = 2) const;
};
// How far `a` is above `b`; infinitely, if `b` has no rows or makes one impossible, and `a` has not.
ScoreDifference difference(const RowScores& a, const RowScores& b);

// The first that the best is not clearly above, by so many standard errors.
std::size_t first_not_behind(const std::vector<RowScores>& all, double standard_errors);

// The mean of scores that count by weights, and its standard error, as an out-of-fold score.
class WeightedMean {
 public:
  void add(double value, double weight);
  double mean() const { return sum_ / all_; }
  double standard_error() const;
  // Whether it leaves open, by two standard errors, that in truth it is so much.
  bool may_be(double least) const;
  // Whether gains by it are worth a part of a model more.
  bool is_clear() const;
  // The mean, less what setting numbers by these rows has gained.
  Estimator::OutOfFoldScore score() const;

 private:
  std::vector<double> values_, weights_;
  double sum_ = 0, all_ = 0;
};

}  // namespace postrider::internal
