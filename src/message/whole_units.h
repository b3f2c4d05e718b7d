// Natural parameters as whole numbers, so that their sum is the same in any order and on any machine.
//
// A message to a variable with a prior is a multiple of a unit: 2^-24 of the prior's precision for rho, and of its square root
// for tau, both rounded down to a power of two. A float or double whose last digit is worth more than the unit lies on the grid already;
// others lose less than any sum of them would notice.
#pragma once

#include <cmath>

namespace postrider::internal {

struct WholeUnits {
  double tau, rho;

  static WholeUnits of_prior(double rho) { return {unit_of(std::sqrt(rho)), unit_of(rho)}; }

  // Doubles below this, in units, are rounded by adding and taking away a number whose last digit is one unit.
  static constexpr double kLargest = 0x1p51, kRounder = 0x1.8p52;
  static double rounded(double units) { return (units + kRounder) - kRounder; }

 private:
  static constexpr int kFraction = 24;
  static double unit_of(double value) { return std::ldexp(1.0, std::ilogb(value) - kFraction); }
};

}  // namespace postrider::internal
