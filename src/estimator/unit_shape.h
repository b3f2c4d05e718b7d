// What was learned of a prediction's shape: a density on [0, 1] by which it is bent (unit_density.h), from neighbours, from bins or both.
#pragma once

#include <optional>
#include <vector>

#include "estimator/local_normal.h"
#include "estimator/unit_density.h"

namespace postrider::internal {

// With neighbours' g_1 and bins' g_2, the latter of what the former leaves over: g(u) = g_1(u) g_2(G_1(u)), G(u) = G_2(G_1(u)).
class UnitShape {
 public:
  UnitShape(std::optional<LocalNormal> neighbours, std::optional<UnitDensity> bins);

  double density(double u) const;
  double below(double u) const;
  double inverse(double below) const;

  // In ascending order, from which on to the next it is smooth enough for quadrature.
  std::vector<double> ends() const;

 private:
  std::optional<LocalNormal> neighbours_;
  std::optional<UnitDensity> bins_;
};

}  // namespace postrider::internal
