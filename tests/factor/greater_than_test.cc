#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kX = 0, kY = 1;

std::unique_ptr<Factor> greater(double margin) {
  return make_factor("greater_than", {{"margin", {margin}}});
}

Reply send(double margin, std::size_t edge, const Gaussian& x, const Gaussian& y) {
  const Reply reply = greater(margin)->send(edge, Rule::conditioned, std::vector{x, y});
  expect_valid(reply, text({x, y}));
  return reply;
}

// To x: the probability that y stays below x - margin; to y likewise from above.
LogDensity exact(double margin, std::size_t edge, const Moments& other) {
  return [=](double t) {
    const double gap = edge == kX ? t - margin - other.mean : other.mean - margin - t;
    if (other.variance > 0) return log_cdf(gap / std::sqrt(other.variance));
    return gap > 0 ? 0.0 : -kInfinity;
  };
}

TEST(GreaterThan, ExactMessageIsTheIntegralOfTheDensity) {
  Agreement agreement("greater_than exact message", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 50; ++i) {
    const Moments other = moderate_moments(random);
    const double margin = random.normal(), at = other.mean + 5 * random.normal();
    const auto factor = greater(margin);
    for (const std::size_t edge : {kX, kY}) {
      const double kink = edge == kX ? at - margin : at + margin;
      const Moments integral = by_quadrature(
          [&](double t) {
            const std::vector<double> values = edge == kX ? std::vector{at, t} : std::vector{t, at};
            return log_density(t, other) + factor->evaluate(values);
          },
          other, {kink});
      agreement.moments({0, 1}, {0, 1}, "");
      const double expected = exact(margin, edge, other)(at);
      if (expected > kDeepestLogMass) agreement.log_mass(expected, integral.log_mass, "");
    }
  }
}

TEST(GreaterThan, HasTheTiltedMoments) {
  Agreement agreement("greater_than to x and y", kExact);
  RandomStream random(kSeed, 1);
  for (int i = 0; i < 400; ++i) {
    const Moments x = any_moments(random), y = any_moments(random);
    const double margin = i % 3 == 0 ? 0 : random.uniform(-2, 2);
    for (const std::size_t edge : {kX, kY}) {
      const Moments &self = edge == kX ? x : y, &other = edge == kX ? y : x;
      const double step = edge == kX ? y.mean + margin : x.mean - margin;
      const Moments tilted = tilted_by_quadrature(exact(margin, edge, other), self,
                                                  around(step, std::sqrt(other.variance)));
      if (!(tilted.log_mass > kDeepestLogMass)) continue;
      const Reply reply = send(margin, edge, gaussian(x), gaussian(y));
      EXPECT_TRUE(reply.event == Event::none || reply.event == Event::vanished);
      expect_tilted(agreement, reply, self, tilted,
                    text({gaussian(x), gaussian(y)}) + "margin " + std::to_string(margin) +
                        " edge " + std::to_string(edge));
    }
  }
  EXPECT_GT(agreement.cases(), 300);
}

TEST(GreaterThan, KnownBoundCuts) {
  Agreement agreement("greater_than, bound known", kExact);
  RandomStream random(kSeed, 2);
  for (int i = 0; i < 50; ++i) {
    const Moments x = moderate_moments(random), y{random.normal(), 0};
    const Moments tilted = tilted_by_quadrature(exact(0.5, kX, y), x, {y.mean + 0.5});
    if (!(tilted.log_mass > kDeepestLogMass)) continue;
    expect_tilted(agreement, send(0.5, kX, gaussian(x), Gaussian::point_mass(y.mean)), x, tilted,
                  text({gaussian(x), Gaussian::point_mass(y.mean)}) + " [limit: known_bound]");
  }
}

TEST(GreaterThan, SatisfiedHasNothingToSay) {
  const Gaussian above = Gaussian::from_moments(50, 1), below = Gaussian::from_moments(-50, 1);
  for (const std::size_t edge : {kX, kY}) {
    const Reply reply = send(1, edge, above, below);
    EXPECT_TRUE(reply.message.is_uniform());
    EXPECT_EQ(reply.event, Event::vanished);
    EXPECT_EQ(reply.log_scale, 0) << "[limit: satisfied]";
  }
}

TEST(GreaterThan, ContradictionIsCounted) {
  const Gaussian two = Gaussian::point_mass(2), three = Gaussian::point_mass(3);
  for (const std::size_t edge : {kX, kY}) {
    const Reply fails = send(0, edge, two, three);
    EXPECT_EQ(fails.event, Event::contradicted);
    EXPECT_TRUE(fails.message.is_uniform());
    EXPECT_EQ(fails.log_scale, -kInfinity);
    const Reply holds = send(0, edge, three, two);
    EXPECT_EQ(holds.event, Event::none);
    EXPECT_TRUE(holds.message.is_uniform());
    EXPECT_EQ(holds.log_scale, 0);
    EXPECT_EQ(send(2, edge, three, two).event, Event::contradicted) << "[limit: contradiction]";
  }
}

TEST(GreaterThan, NothingOnEitherSideSaysNothing) {
  const Gaussian some = Gaussian::from_moments(1, 2);
  for (const auto& [x, y] : {std::pair{some, Gaussian()}, std::pair{Gaussian(), some}})
    for (const std::size_t edge : {kX, kY}) {
      const Reply reply = send(0, edge, x, y);
      EXPECT_TRUE(reply.message.is_uniform());
      EXPECT_EQ(reply.event, Event::vanished);
    }
}

// x > y + margin is -y > -x + margin: the message to y is that to x, mirrored.
TEST(GreaterThan, NeverNegativeAndMirrored) {
  RandomStream random(kSeed, 3);
  for (int i = 0; i < 2000; ++i) {
    const Moments x = wide_moments(random), y = wide_moments(random);
    const double margin = random.uniform(-2, 2);
    const Gaussian to_x = send(margin, kX, gaussian(x), gaussian(y)).message;
    const Gaussian to_y =
        send(margin, kY, gaussian({-y.mean, y.variance}), gaussian({-x.mean, x.variance})).message;
    EXPECT_GE(to_x.rho(), 0);
    EXPECT_EQ(to_y.tau(), -to_x.tau());
    EXPECT_EQ(to_y.rho(), to_x.rho());
  }
}

TEST(GreaterThan, RefusesAnInfiniteMargin) {
  EXPECT_THROW(greater(kInfinity), InvalidArgument);
  EXPECT_THROW(greater(std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace postrider::graph
