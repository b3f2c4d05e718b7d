// The shape of predicted distributions, learned from rows that their networks had not learned.
//
// Where a predicted distribution F is right, u = F(y) is uniform whatever the inputs are. What u follows instead is learned in two steps, each of
// which is left out where rows do not clearly say that it helps:
//
// 1. from neighbours, whose residuals are like those of a row (residual_neighbours.h): g_1(u | x), and u_1 = G_1(u);
// 2. by a classifier of bins of u_1, from the inputs, the predicted mean, the logarithm of the predicted standard deviation and the same two
//    of g_1: g_2(u_1 | x) of unit_density.h. Heavy tails, two modes, a skew that depends on the inputs come in this way, which a mean
//    and a noise variance cannot say.
//
// Everything is judged by rows that were left out: u by networks that have not learned its row, neighbours without it, and the classifier by
// its own folds. Shares are those by which they predict best.
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
#include "estimator/residual_neighbours.h"
#include "estimator/unit_shape.h"
#include "network/ensemble_prediction.h"
#include "postrider/inputs.h"

namespace postrider::internal {

// How many columns more a classifier of bins has than the rows.
constexpr std::size_t columns_besides(bool has_neighbours) { return has_neighbours ? 4 : 2; }

// A classifier of bins, and its share.
class BinShape {
 public:
  // Throws InvalidArgument if the share makes no sense.
  BinShape(StoredModel classifier, double share);

  const StoredModel& classifier() const { return classifier_; }
  double share() const { return share_; }
  // A density for each row.
  std::vector<UnitDensity> at(const Inputs& widened, Workers& workers) const;

 private:
  StoredModel classifier_;
  double share_;
  EnsemblePrediction ensemble_;
};

class LearnedShape {
 public:
  // One of the parts may be missing. They are of a model that had learned so many rows.
  LearnedShape(std::optional<ResidualNeighbours> neighbours, std::unique_ptr<const BinShape> bins,
               std::size_t rows_learned);

  // Whether a model that has learned so many rows by now is still much the one whose shape this is: a tenth more are learned at most.
  bool suits(std::size_t rows_learned) const;
  std::size_t rows_learned() const { return rows_learned_; }

  const ResidualNeighbours* neighbours() const { return neighbours_ ? &*neighbours_ : nullptr; }
  const BinShape* bins() const { return bins_.get(); }

  // A shape for each row, all of whose members' outlooks lie together.
  std::vector<UnitShape> at(const Inputs& rows, std::span<const Outlook> outlooks,
                            Workers& workers) const;

 private:
  std::optional<ResidualNeighbours> neighbours_;
  std::unique_ptr<const BinShape> bins_;
  std::size_t rows_learned_;
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
