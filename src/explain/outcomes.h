// What is predicted of rows, by all members of an ensemble and by each.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "postrider/classifier.h"
#include "postrider/inputs.h"
#include "postrider/regressor.h"

namespace postrider::internal {

// Row by row and quantity by quantity; those of members have all members of a place together.
struct Outcomes {
  std::size_t quantities = 0;
  std::vector<double> values = {}, of_members = {};
};

using PredictOutcomes = std::function<Outcomes(const Inputs& rows)>;

// For each target mean and standard deviation of a new observation. A member's are those of its own distribution, without what was learned of
// the shape of all together.
Outcomes outcomes_of(const Regressor& regressor, const Inputs& rows);
// The probability of each class.
Outcomes outcomes_of(const Classifier& classifier, const Inputs& rows);

// The shares of an estimator's members in its predictions; they add up to 1.
std::vector<double> shares_of(const Estimator& estimator);

}  // namespace postrider::internal
