// What an ensemble would have predicted of its training rows, had it not learned them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/workers.h"
#include "estimator/member_folds.h"
#include "estimator/state.h"
#include "estimator/unknown_inputs.h"

namespace postrider::internal {

// Members, and what each predicted of the rows that it leaves out, in their order (TrainingOutcome::left_out).
struct LeftOutPredictions {
  const MemberFolds& folds;
  std::span<const std::size_t>
      numbers;  // of the members when folds were dealt: some may have been dropped
  std::span<const network::Network::OutputMoments> of_members;
};

// A row is left out by one or two members of many. What they predict is honest, but the ensemble predicts better than they do:
// its mean has less of the chance in which members differ. So the honest ensemble at a row is
//   mean of member m = y - c (y - a) + r d_m,   variance = that of the members that leave it out, on average,
// a being the mean of those that leave it out, d_m how far member m lies from the mean of all there, r the ratio of how far
// members lie apart that leave out the same row to how far all do (1 where no two leave out the same), and
//   c^2 = 1 - V (1/R - 1/M) / E,
// V the variance between members, E the mean square of y - a, both in units of the predictive variance, R and M the
// numbers of members that leave out a row, and of all. Of classes, which have no residual, c = 1.
struct HonestPredictions {
  std::vector<std::uint32_t> rows;  // that some member leaves out, evenly spaced if they are many
  std::vector<network::Network::OutputMoments> of_members;  // one for each member, at these rows
  InputUncertainty unknown = {};                            // what inputs leave open there
};
// Targets are as the networks are told them. Nothing where no member leaves out a row.
HonestPredictions honest_predictions(const FittedModel& model, const Examples& rows,
                                     std::span<const double> told_targets,
                                     const LeftOutPredictions& left_out, Workers& workers);

// Sets what the ensemble knows of itself from them: the size of its noise or, of classes, the temperature; scores of
// intervals; the out-of-fold log-likelihood. Noise that is known or not learned stays as it is.
void judge_ensemble(FittedModel& model, const Examples& rows, std::span<const double> told_targets,
                    const HonestPredictions& honest, bool noise_stays, Workers& workers);

// The probabilities of all classes at the rows that some member leaves out, by the temperature that suits these best.
struct RowProbabilities {
  std::vector<std::uint32_t> rows;  // ascending
  std::size_t classes = 0;
  std::vector<double> probabilities;  // row by row
};
RowProbabilities left_out_probabilities(const FittedModel& model, const Examples& rows,
                                        const HonestPredictions& honest, Workers& workers);

// The log-likelihood of each of the rows, of all its targets together, before anything is set.
std::vector<double> log_likelihoods(const FittedModel& model, const Examples& rows,
                                    std::span<const double> told_targets,
                                    const HonestPredictions& honest, Workers& workers);

}  // namespace postrider::internal
