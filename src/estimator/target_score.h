// How well a predicted distribution foretold a target: by its density there or, where targets lie on a lattice, by the mass of the target's cell.
#pragma once

#include <cmath>
#include <span>

#include "data/target_scales.h"
#include "estimator/predictive_mixture.h"

namespace postrider::internal {

// The predicted probability of less than the lower end of a target's cell, and than its upper end: the same where there is no lattice.
struct UnitCell {
  double below, up_to;

  double width() const { return up_to - below; }
};

// With less between its ends a cell's mass has lost its digits, and the density at its middle says the same.
inline constexpr double kLeastMass = 1e-9;

UnitCell cell_of(const TargetColumn& column, const Mixture& mixture, double target);

// log of the mean density of a target's cell, or of the density at the target, in the target's unit.
double log_score(const TargetColumn& column, std::span<const Outlook> members, double target);

// By how much a shape g with G (local_normal.h, unit_density.h, unit_shape.h) changes the mass of a cell; `at` is the target's own probability.
template <class Shape>
double density_ratio(const Shape& shape, const UnitCell& cell, double at) {
  if (cell.width() < kLeastMass) return shape.density(at);
  return (shape.below(cell.up_to) - shape.below(cell.below)) / cell.width();
}
template <class Shape>
UnitCell bent_cell(const Shape& shape, const UnitCell& cell) {
  return {shape.below(cell.below), shape.below(cell.up_to)};
}

}  // namespace postrider::internal
