// Fifty digits: the printed formulas of a paper can be evaluated as they stand, cancellation and
// all, and are still exact to more digits than any lane holds.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace postrider::reference {

using Real = boost::multiprecision::cpp_bin_float_50;

inline Real real_density(const Real& u) {
  return exp(-u * u / 2) / sqrt(2 * boost::math::constants::pi<Real>());
}

inline Real real_cdf(const Real& u) { return boost::math::erfc(Real(-u / sqrt(Real(2)))) / 2; }

}  // namespace postrider::reference
