// Rows that count more than once: how the copies that a power above 1 makes of a row are learned.
//
// A message that is raised to the power T speaks for T copies of its row. They can be left out together
// while the row is learned, or one of them at a time, which is to keep the share 1 - 1/T of the message
// (damping). Both are fixed points of power expectation propagation. Where functions bend much and noise is
// low the second finds beliefs that predict better; where noise is high it learns the noise. The
// leave-one-out score, which is taken without all copies in either case, tells which it was.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "estimator/ensemble.h"
#include "postrider/estimator_options.h"

namespace postrider {

// The shares of messages that networks of so many weights are trained with: one, or two to choose from.
std::vector<double> dampings_to_try(const EstimatorOptions& options, double power,
                                    std::size_t weights);

// For each of so many ways to learn, members with the same priors one after another.
std::vector<Member> members_to_try(std::vector<Member> members, std::size_t ways);

// Drops the members of all ways but the one with the highest score, and their outcomes. Says which it is.
std::size_t keep_best_way(std::size_t ways, std::vector<Member>& members,
                          std::vector<TrainingOutcome>& outcomes);

}  // namespace postrider
