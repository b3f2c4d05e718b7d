// What the members of a fitted model predict, target by target.
#pragma once

#include <span>
#include <vector>

#include "estimator/left_out_scores.h"
#include "estimator/model_file.h"
#include "estimator/predictive.h"

namespace postrider {

// Row by row and target by target, all members of a place together, from the outputs of each member.
std::vector<Outlook> outlooks_of(const FittedModel& model, std::span<const OutputRows> of_members);

// For each target the scores of its rows, from what members predicted of them without them; none if a
// member did not. Targets are standardised, and not a number where missing.
std::vector<LeftOutScores> left_out_scores(const FittedModel& model,
                                           std::span<const OutputRows> of_members,
                                           std::span<const double> targets,
                                           std::span<const double> sample_weights);

}  // namespace postrider
