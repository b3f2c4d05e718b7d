// What the distributions of a regressor are made of.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/workers.h"
#include "data/target_scales.h"
#include "estimator/left_out_scores.h"
#include "estimator/predictive.h"
#include "postrider/distributions.h"

namespace postrider {

class DistributionsState {
 public:
  std::size_t members = 1;
  std::vector<Outlook> outlooks;  // place by place, all members of a place together
  TargetScales targets;
  std::vector<LeftOutScores> left_out;  // of each target; none: intervals are those of the beliefs
  // Those of the estimator that predicted.
  std::shared_ptr<Workers> workers = std::make_shared<Workers>(1);

  std::size_t places() const { return outlooks.size() / members; }
  std::span<const Outlook> at(std::size_t place) const {
    return std::span(outlooks).subspan(place * members, members);
  }
  // Null if there are no scores.
  const LeftOutScores* scores(std::size_t place) const {
    return left_out.empty() ? nullptr : &left_out[place % targets.columns()];
  }
  const TargetColumn& column(std::size_t place) const {
    return targets.column(place % targets.columns());
  }
  double in_units(std::size_t place, double learned) const {
    return column(place).in_units(learned);
  }
};

}  // namespace postrider
