#include "data/target_scales.h"

#include <cmath>
#include <string>

#include "postrider/error.h"

namespace postrider {
namespace {

// The power of ten that brings this unit near to 1.
std::string factor_for(double unit) {
  return "1e" + std::to_string(static_cast<int>(-std::floor(std::log10(unit))));
}

}  // namespace

Scales target_scales(std::span<const double> targets, std::size_t columns,
                     std::span<const double> weights) {
  Scales out = scales_of(targets, columns, weights);
  expect_target_units(out);
  return out;
}

void expect_target_units(const Scales& targets) {
  for (const double unit : targets.deviation)
    if (unit < kLeastTargetUnit)
      reject(
          "standard deviation of the targets", unit,
          "must be at least 1e-120, or predicted variances are too small to be numbers: multiply "
          "the targets by " +
              factor_for(unit));
}

}  // namespace postrider
