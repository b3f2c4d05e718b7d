#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "factor/interval-inl.h"
#include "math/quadrature.h"
#include "postrider/gaussian.h"

namespace postrider::graph {
using namespace internal;
namespace {

// For the belief's variance, and for its mean in units of the incoming standard deviation: what the header
// states for the change from the difference of half lines to the box.
constexpr double kTolerance = 1e-9;

Gaussian belief(double lower, double upper, const Gaussian& x) {
  const auto message = HWY_NAMESPACE::interval_message<double>(lower, upper, {x.tau(), x.rho()});
  EXPECT_GE(message.rho, 0);
  return x * Gaussian::from_natural(message.tau, message.rho);
}

TEST(Interval, HasTheMomentsOfACutGaussian) {
  RandomStream random(1, 0);
  for (int i = 0; i < 500; ++i) {
    const Gaussian x = Gaussian::from_moments(random.uniform(-6, 6), random.log_uniform(0.3, 30));
    const double lower = random.uniform(-5, 4), width = random.log_uniform(1e-5, 20);
    const Tabulated exact([&](double t) { return x.log_density(t); }, {lower, lower + width});
    const Gaussian found = belief(lower, lower + width, x);
    EXPECT_NEAR(found.mean(), exact.mean(), kTolerance * x.std()) << x << " " << lower;
    EXPECT_NEAR(found.variance(), exact.variance(), kTolerance * x.variance())
        << x << " " << lower << " " << width;
  }
}

// The scale is such that the message times the incoming one has the mass of the cut Gaussian; exact to the same tolerance where the
// mass is not lost in the tail.
TEST(Interval, ScaleIsItsMass) {
  RandomStream random(2, 0);
  for (int i = 0; i < 500; ++i) {
    const Gaussian x = Gaussian::from_moments(random.uniform(-6, 6), random.log_uniform(0.3, 30));
    const double lower = random.uniform(-5, 4), width = random.log_uniform(1e-8, 20);
    const HWY_NAMESPACE::Message<double> incoming{x.tau(), x.rho()};
    const auto sent = HWY_NAMESPACE::interval_sent<double>(lower, lower + width, incoming);
    const double found = sent.log_scale + HWY_NAMESPACE::log_overlap(incoming, sent.message);
    const Tabulated exact([&](double t) { return x.log_density(t); }, {lower, lower + width});
    EXPECT_NEAR(found, exact.log_mass(), kTolerance) << x << " " << lower << " " << width;
  }
}

TEST(Interval, IsSymmetric) {
  const Gaussian x = Gaussian::from_moments(1.3, 2), mirror = Gaussian::from_moments(-1.3, 2);
  const Gaussian a = belief(-0.5, 2, x), b = belief(-2, 0.5, mirror);
  EXPECT_TRUE(equal_within(a, Gaussian::from_moments(-b.mean(), b.variance()), {}));
}

TEST(Interval, SaysNothingWhereNothingIsCutOff) {
  const Gaussian x = Gaussian::from_moments(0, 1);
  EXPECT_TRUE(equal_within(belief(-60, 60, x), x, {}));
}

}  // namespace
}  // namespace postrider::graph
