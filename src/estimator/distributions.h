// What the distributions of a regressor are made of.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/workers.h"
#include "data/target_scales.h"
#include "estimator/conformal_scores.h"
#include "estimator/predictive_mixture.h"
#include "estimator/unit_shape.h"
#include "postrider/distributions.h"

namespace postrider::internal {

// In the unit of the targets: of one distribution, and its variance, what the beliefs leave open and noise.
struct Moments {
  double mean, spread, noise;
};
// What a member says by itself, without what was learned of the shape of all together.
Moments moments_of_member(const TargetColumn& column, const Outlook& member);

class DistributionsState {
 public:
  std::size_t members = 1;
  std::vector<Outlook> outlooks;  // place by place, all members of a place together
  TargetScales targets;
  // One of either for each target; none of both: intervals are those of the beliefs.
  std::vector<LeftOutScores> left_out;
  std::vector<StreamReach> reach;  // in the place of those
  // Those of the estimator that predicted.
  std::shared_ptr<Workers> workers = std::make_shared<Workers>(1);
  std::vector<UnitShape> shapes = {};  // one for each place, or none

  std::size_t places() const { return outlooks.size() / members; }
  std::span<const Outlook> at(std::size_t place) const {
    return std::span(outlooks).subspan(place * members, members);
  }
  const UnitShape* shape(std::size_t place) const {
    return shapes.empty() ? nullptr : &shapes[place];
  }
  // The probability below the interval of a level; and the level above which intervals hold what is below with this
  // probability.
  double tail_of_level(std::size_t place, double level) const;
  double level_of(std::size_t place, double below) const;
  const TargetColumn& column(std::size_t place) const {
    return targets.column(place % targets.columns());
  }
  double in_units(std::size_t place, double learned) const {
    return column(place).in_units(learned);
  }
};

}  // namespace postrider::internal
