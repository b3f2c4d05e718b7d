// fit() of one estimator in three steps, so that the networks of many can be trained in one call.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "estimator/far_cells.h"
#include "estimator/member_folds.h"
#include "estimator/state.h"
#include "estimator/untrained.h"
#include "train/job.h"
#include "train/training_rows.h"

namespace postrider {

class Fitting {
 public:
  // Prepares: networks that know nothing yet, scales, and rows as they learn them. The estimator and the
  // rows must outlive this. Throws InvalidArgument.
  Fitting(EstimatorState& state, const EstimatorRows& rows, const TrainingCallbacks& callbacks);
  Fitting(const Fitting&) = delete;
  Fitting& operator=(const Fitting&) = delete;

  // One for each network, which are a team of this number; they look into this.
  std::vector<TrainingJob> jobs(std::size_t team = 0);
  // How they are to be trained.
  TrainerOptions training() const;
  // Concludes with an outcome for each of them: the estimator has the new model. It keeps the former one
  // if no network has begun, or if this throws Error, since nothing was learned. A report for each network
  // that is kept.
  std::vector<FitReport> conclude(std::vector<TrainingOutcome> outcomes);

  // To be added to a score, so that it is that of targets with deviation 1 whatever scale they are learned on.
  double score_shift() const { return score_shift_; }
  // What is learned otherwise than it was given, in sentences.
  std::vector<std::string> told(std::span<const std::string> names) const {
    return near_.told(names);
  }

 private:
  EstimatorState& state_;
  NearRows near_;
  EstimatorRows rows_;
  RowsSummary summary_;
  FittedModel model_;
  TrainingTask task_;
  double damping_;
  MemberFolds folds_;
  std::vector<double> targets_;  // as the networks are told them
  double score_shift_ = 0;
  TrainingRows prepared_;
};

}  // namespace postrider
