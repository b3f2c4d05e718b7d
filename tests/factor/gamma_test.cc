#include "factor/gamma.h"

#include <gtest/gtest.h>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>

namespace postrider::internal {
namespace {

TEST(Gamma, MassesAreIntegrals) {
  boost::math::quadrature::exp_sinh<double> integrator;
  for (const double shape : {0.5, 2.0, 7.0})
    for (const double rate : {0.1, 3.0})
      for (const double events : {0.0, 0.5, 4.0})
        for (const double exposure : {0.0, 0.2, 6.0}) {
          const auto density = [&](double g) {
            return std::exp((shape + events - 1) * std::log(g) - (rate + exposure) * g +
                            shape * std::log(rate) - std::lgamma(shape));
          };
          EXPECT_NEAR(log_events_mass(shape, rate, events, exposure),
                      std::log(integrator.integrate(density)), 1e-9);
        }
}

TEST(Gamma, MassesOfExtremeNumbersAreFinite) {
  for (const double shape : {1e-300, 1e-3, 1e6, 1e15})
    for (const double rate : {1e-300, 1.0, 1e300})
      for (const double events : {0.0, 1.0, 1e6})
        for (const double exposure : {0.0, 1e-300, 1e6, 1e300})
          EXPECT_TRUE(std::isfinite(log_events_mass(shape, rate, events, exposure)))
              << shape << " " << rate << " " << events << " " << exposure;
}

}  // namespace
}  // namespace postrider::internal
