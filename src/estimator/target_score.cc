#include "estimator/target_score.h"

#include <algorithm>

namespace postrider::internal {
namespace {

constexpr double kLeastBelow = 1e-12;  // F(y) is never 0 nor 1 but for rounding

}  // namespace

UnitCell cell_of(const TargetColumn& column, const Mixture& mixture, double target) {
  const auto below = [&](double y) {
    return std::clamp(mixture.below(column.learned(y)), kLeastBelow, 1 - kLeastBelow);
  };
  if (column.step() == 0) return {below(target), below(target)};
  return {below(target - 0.5 * column.step()), below(target + 0.5 * column.step())};
}

double log_score(const TargetColumn& column, std::span<const Outlook> members, double target) {
  if (column.step() > 0) {
    const double mass = cell_of(column, Mixture(members), target).width();
    if (mass > kLeastMass) return std::log(mass / column.step());
  }
  return mixed_log_density(members, column.learned(target)) + column.log_slope(target);
}

}  // namespace postrider::internal
