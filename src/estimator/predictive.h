// What the members of a fitted model predict, target by target.
#pragma once

#include <span>
#include <vector>

#include "estimator/model_file.h"
#include "estimator/predictive_mixture.h"
#include "estimator/unknown_inputs.h"
#include "network/ensemble_prediction.h"

namespace postrider::internal {

// Members lie so many times as far from their mean, and are so many times as unsure of theirs. What inputs that are missing leave open is
// no matter of beliefs, and stays.
void scale_epistemic(std::span<Outlook> members, double factor);

// Row by row and target by target, all members of a place together, from the outputs of each member, and from what inputs leave open.
std::vector<Outlook> outlooks_of(const FittedModel& model,
                                 std::span<const network::Network::OutputMoments> of_members,
                                 const InputUncertainty& unknown = {});
// The same of rows of a stream, as they were predicted before they were learned, by the shares that the members had
// at each row.
std::vector<Outlook> streamed_outlooks(const FittedModel& model,
                                       std::span<const StreamOutcome> of_members,
                                       std::span<const double> shares);

// Row by row, of all classes: what one member says, from its network's outputs, and what all of them say. The ensemble is that of the model's
// networks.
std::vector<double> member_probabilities(const FittedModel& model, std::size_t member,
                                         const network::Network::OutputMoments& outputs,
                                         Workers& workers);
std::vector<double> predicted_probabilities(const FittedModel& model,
                                            const EnsemblePrediction& ensemble,
                                            const SparseInputs& encoded, Workers& workers);

}  // namespace postrider::internal
