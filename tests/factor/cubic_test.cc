#include <cmath>

#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kY = 0, kX = 1;

double cube(double x) { return x * x * x; }

Reply to_y(const Gaussian& x) {
  return make_factor("cubic")->send(kY, Rule::direct, std::vector{Gaussian(), x});
}
Reply to_x(const Gaussian& y) {
  return make_factor("cubic")->send(kX, Rule::direct, std::vector{y, Gaussian()});
}

TEST(Cubic, ForwardHasTheMomentsOfTheCube) {
  Agreement agreement("cubic, forward", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 30; ++i) {
    const Moments x = moderate_moments(random);
    const Linearisation exact = linearise(cube, x);
    agreement.message(to_y(gaussian(x)).message, {exact.mean, exact.variance}, text({gaussian(x)}));
  }
}

// The exact message is exp(-(x^3 - mean_y)^2/(2 var_y)). With r = |mean_y|/s_y the tangent misses
// its moments by a relative O(1/r^2); the constant is measured here as well.
TEST(Cubic, BackwardApproachesTheExactMessage) {
  constexpr double kConstant = 3;
  for (const double mean : {-30.0, 0.2, 5.0})
    for (const double r : {10.0, 100.0}) {
      const Gaussian y = Gaussian::from_moments(mean, mean * mean / (r * r));
      const Gaussian sent = to_x(y).message;
      const Tabulated exact([&](double x) { return y.log_density(cube(x)); },
                            gaussian_range(sent.mean(), sent.variance(), {}, Reach::near));
      EXPECT_NEAR(sent.mean() / exact.mean(), 1, kConstant / (r * r)) << y;
      EXPECT_NEAR(sent.variance() / exact.variance(), 1, kConstant / std::pow(r, 2.0 / 3)) << y;
    }
}

TEST(Cubic, OfAKnownInputIsItsCube) {
  EXPECT_EQ(to_y(Gaussian::point_mass(-2)).message, Gaussian::point_mass(-8))
      << "[limit: known_input]";
}

TEST(Cubic, OfAKnownOutputIsItsRoot) {
  Agreement agreement("cubic, known output", kRounding);
  for (const double root : {-2.0, 0.0, 1e-3, 7e3}) {
    const Gaussian message = to_x(Gaussian::point_mass(cube(root))).message;
    EXPECT_TRUE(message.is_point_mass()) << "[limit: known_output]";
    agreement.moments({message.mean(), 1}, {root, 1}, text({message}));
  }
}

TEST(Cubic, OfAConcentratedOutputIsTheTangent) {
  Agreement agreement("cubic, concentrated", kExact);
  agreement.message(to_x(Gaussian::from_moments(8, 1e-18)).message, {2, 1e-18 / 144},
                    "y = 8 [limit: concentrated]");
}

TEST(Cubic, OfAZeroMeanHasTheWidthThatTheCubeWouldGive) {
  Agreement agreement("cubic, zero mean", kExact);
  const Gaussian y = Gaussian::from_moments(0, 0.7);
  const Gaussian message = to_x(y).message;
  agreement.message(message, {0, std::cbrt(0.7 / 15)}, "y = N(0, 0.7)");
  EXPECT_NEAR(linearise(cube, moments_of(message)).variance, 0.7, kExact) << "[limit: zero_mean]";
}

TEST(Cubic, CountsAnOverflow) {
  const Reply reply = to_y(Gaussian::from_moments(1e90, 1));
  EXPECT_TRUE(reply.message.is_uniform());
  EXPECT_EQ(reply.event, Event::overflowed);
}

TEST(Cubic, IsValidForAllStates) {
  for (const Gaussian& message : corner_messages()) {
    expect_valid(to_y(message), text({message}));
    expect_valid(to_x(message), text({message}));
  }
}

}  // namespace
}  // namespace postrider::graph
