// The shape of predicted distributions, learned from rows that their networks had not learned.
//
// Where a predicted distribution F is right, u = F(y) is uniform whatever the inputs are. What u follows instead is learned by a classifier of
// bins of u, from the inputs, the predicted mean and the logarithm of the predicted standard deviation: g(u | x) of unit_density.h. Heavy
// tails, two modes, a skew that depends on the inputs come in this way, which a mean and a noise variance cannot say.
//
// Everything is judged by rows that were left out: u by networks that have not learned its row, and the classifier by its own folds. The
// share w is the one by which they predict best; where they do not predict clearly better than without, there is no shape.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/workers.h"
#include "estimator/column_forms.h"
#include "estimator/model_file.h"
#include "estimator/out_of_fold.h"
#include "estimator/predictive_mixture.h"
#include "estimator/unit_density.h"
#include "network/ensemble_prediction.h"
#include "postrider/inputs.h"

namespace postrider::internal {

class LearnedShape {
 public:
  // Takes a classifier of bins. Throws InvalidArgument if the share makes no sense.
  LearnedShape(StoredModel classifier, double share);
  LearnedShape(const LearnedShape&) = delete;
  LearnedShape& operator=(const LearnedShape&) = delete;

  const StoredModel& classifier() const { return classifier_; }
  double share() const { return share_; }

  // A density for each row, all of whose members' outlooks lie together.
  std::vector<UnitDensity> at(const Inputs& rows, std::span<const Outlook> outlooks,
                              Workers& workers) const;

 private:
  StoredModel classifier_;
  double share_;
  EnsemblePrediction ensemble_;
};

// Whether rows are enough to learn a shape from, and the model is one that can have it: one target, whose noise is learned.
bool can_learn_shape(const EstimatorOptions& options, const FittedModel& model,
                     const HonestPredictions& honest);

// Gives a model that was judged by these predictions a shape, and judges it anew, if rows say clearly that it has one.
void learn_shape(const EstimatorOptions& options, Encoding encoding, FittedModel& model,
                 const Examples& rows, std::span<const double> told_targets,
                 const HonestPredictions& honest, Workers& workers,
                 const TrainingCallbacks& callbacks);

}  // namespace postrider::internal
