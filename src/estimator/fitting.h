// fit() of one estimator in three steps, so that the networks of many can be trained in one call.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "estimator/column_forms.h"
#include "estimator/ensemble.h"
#include "estimator/member_folds.h"
#include "estimator/out_of_fold.h"
#include "estimator/row_scores.h"
#include "estimator/state.h"
#include "estimator/untrained.h"
#include "train/job.h"
#include "train/training_rows.h"

namespace postrider::internal {

class Fitting {
 public:
  // Prepares: networks that know nothing yet, scales, and rows as they learn them. The estimator and the
  // rows must outlive this. Throws InvalidArgument.
  Fitting(EstimatorState& state, const Examples& rows, const Preparation& preparation);
  Fitting(const Fitting&) = delete;
  Fitting& operator=(const Fitting&) = delete;

  // One for each network, which are a team of this number; they look into this.
  std::vector<TrainingJob> jobs(std::size_t team = 0);
  // How they are to be trained.
  TrainerOptions training() const;
  // Concludes with an outcome for each of them: the estimator has the new model. It keeps the former one
  // if no network has begun, or if this throws Error, since nothing was learned. A report for each network
  // that is kept.
  std::vector<FitReport> conclude(std::vector<TrainingOutcome> outcomes,
                                  const TrainingCallbacks& callbacks = {});

  // Or all of it at once. Networks that were trained in stretches go on; progress tells of all epochs.
  std::vector<FitReport> fit(const TrainingCallbacks& callbacks);

  // Whether networks can be trained in stretches: those that are trained side by side can.
  bool has_stretches();
  // Until so many epochs in all are over; from the first one on if there are no stretches. Tells nobody.
  void train(std::size_t epochs, const TrainingCallbacks& callbacks);
  // Whether an epoch of some network is over.
  bool has_learned() const;
  // By how much the last epoch raised the score of a network, on average; 0 before the second.
  double last_gain() const;
  // The scores of rows that some network leaves out, as the ensemble predicts them by now. None if nothing was learned.
  RowScores scores();
  // Likewise, the probabilities of all their classes.
  RowProbabilities left_out_probabilities();
  // Concludes with what was trained in stretches.
  void finish();

  // To be added to a score, so that it is that of targets with deviation 1 whatever scale they are learned on.
  double score_shift() const { return score_shift_; }

 private:
  std::vector<TrainingJob>& own_jobs();
  bool has_known_noise() const { return !task_.known_noise.empty(); }
  HonestPredictions honest(FittedModel& model, const TakenOutcomes& taken, Workers& workers) const;
  std::vector<TrainingOutcome> outcomes_so_far() const;
  bool tell_of_past(const TrainingCallbacks& callbacks) const;
  // use(model, honest predictions, workers) with what the ensemble is by now; what it returns, or nothing if nothing was learned.
  template <class Use>
  auto by_now(Use&& use) const;

  EstimatorState& state_;
  Examples rows_;
  Encoding encoding_;  // of the columns
  RowsSummary summary_;
  FittedModel model_;
  network::Trainer::Task task_;
  double damping_;
  MemberFolds folds_;
  std::vector<double> targets_;  // as the networks are told them
  double score_shift_ = 0;
  TrainingRows prepared_;
  std::vector<TrainingJob> own_jobs_;
  std::unique_ptr<TrainingRun> pack_;      // looks into own_jobs_
  std::vector<TrainingOutcome> outcomes_;  // of the last stretch, if there is no pack
  bool has_begun_ = false;
};

}  // namespace postrider::internal
