// Small trainings that tell which way to prepare the columns suits them.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "estimator/cross_validation.h"
#include "estimator/state.h"

namespace postrider {

// How one way did: the log-likelihood of each row that was not learned, in the same order for all ways; empty if nothing
// could be learned.
class TrialScore {
 public:
  TrialScore() = default;
  explicit TrialScore(std::vector<double> rows) : rows_(std::move(rows)) {}

  // Minus infinity of no rows.
  double mean() const;
  // By more than twice the standard error of the mean difference, row by row.
  bool is_clearly_above(const TrialScore& other) const;

 private:
  std::vector<double> rows_;
};

// Networks learn a part of some rows for a few epochs and predict the others. All that depends on rows is found in
// the part that is learned.
class Trials {
 public:
  Trials(const EstimatorState& state, const EstimatorRows& rows,
         const std::function<bool()>& interrupted);

  // Fewer rows cannot tell ways apart.
  bool can_tell() const;
  // With the estimator's options but for the way to try, which must leave nothing to be chosen.
  TrialScore score(const std::function<void(EstimatorOptions&)>& way) const;
  bool is_interrupted() const { return interrupted_ && interrupted_(); }

 private:
  EstimatorOptions small(const std::function<void(EstimatorOptions&)>& way) const;

  const EstimatorState& state_;
  const EstimatorRows& rows_;
  const std::function<bool()>& interrupted_;
  std::size_t classes_ = 0;
  std::vector<Fold> folds_;
};

// The number of classes, from the labels and from what the options say; 0 for numeric targets.
std::size_t classes_in(const EstimatorState& state, const EstimatorRows& rows);

}  // namespace postrider
