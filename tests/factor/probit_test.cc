#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

std::unique_ptr<Factor> probit(double sign, double scale) {
  return make_factor("probit", {{"sign", {sign}}, {"scale", {scale}}});
}

Reply to_x(const Factor& factor, const Gaussian& incoming) {
  const Reply reply = factor.send(0, Rule::conditioned, std::vector{incoming});
  expect_valid(reply, text({incoming}));
  return reply;
}

LogDensity exact(double sign, double scale) {
  return [=](double x) {
    if (scale > 0) return log_cdf(sign * x / scale);
    return sign * x > 0 ? 0.0 : -kInfinity;
  };
}

TEST(Probit, HasTheTiltedMoments) {
  Agreement agreement("probit to x", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 400; ++i) {
    const Moments x = any_moments(random);
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    const double scale = i % 8 == 0 ? 0 : random.log_uniform(1e-2, 1e2);
    const Moments tilted = tilted_by_quadrature(exact(sign, scale), x, around(0, scale));
    if (!(tilted.log_mass > kDeepestLogMass)) continue;
    const Reply reply = to_x(*probit(sign, scale), gaussian(x));
    EXPECT_TRUE(reply.event == Event::none || reply.event == Event::vanished);
    expect_tilted(agreement, reply, x, tilted,
                  text({gaussian(x)}) + " scale " + std::to_string(sign * scale));
  }
  EXPECT_GT(agreement.cases(), 200);
}

TEST(Probit, EvaluatesItsDensity) {
  Agreement agreement("probit density", kExact);
  for (const double x : {-30.0, -3.0, 0.0, 0.7, 9.0}) {
    agreement.moments({x, 1}, {x, 1}, "");
    agreement.log_mass(probit(-1, 2)->evaluate(std::vector{x}), log_cdf(-x / 2), std::to_string(x));
  }
  EXPECT_EQ(probit(1, 0)->evaluate(std::vector{2.0}), 0);
}

TEST(Probit, WithoutScaleIsGreaterThanZero) {
  RandomStream random(kSeed, 1);
  const auto greater = make_factor("greater_than");
  for (int i = 0; i < 100; ++i) {
    const Gaussian x = gaussian(moderate_moments(random));
    const Gaussian zero = Gaussian::point_mass(0);
    EXPECT_EQ(to_x(*probit(1, 0), x).message,
              greater->send(0, Rule::conditioned, std::vector{x, zero}).message);
    EXPECT_TRUE(
        equal_within(to_x(*probit(1, 1e-9), x).message, to_x(*probit(1, 0), x).message, {kExact}))
        << "[limit: hard]";
  }
}

TEST(Probit, CertainMeansNothingToSay) {
  const Gaussian sure = Gaussian::from_moments(30, 1);
  EXPECT_LT(to_x(*probit(1, 1), sure).message.rho(), 1e-90);  // phi(30/sqrt(2))
  const Reply vanished = to_x(*probit(1, 1), Gaussian::from_moments(100, 1));
  EXPECT_TRUE(vanished.message.is_uniform());
  EXPECT_EQ(vanished.event, Event::vanished);
  EXPECT_EQ(vanished.log_scale, 0) << "[limit: certain]";
}

TEST(Probit, SurpriseHasThePrecisionOfTheScale) {
  for (const double scale : {0.5, 1.0, 4.0}) {
    const Gaussian message = to_x(*probit(-1, scale), Gaussian::from_moments(1e5, 1)).message;
    // The first term left out is of order (deviations)^-2.
    EXPECT_NEAR(message.rho() * scale * scale, 1, 1e-8) << "[limit: surprised]";
  }
}

TEST(Probit, PointMassesAndNothing) {
  // A known x hears the derivatives of log f there.
  const double u = 0.3, density = std::exp(log_density(u, 0, 1)),
               v = density / std::exp(log_cdf(u));
  const Gaussian at_point = to_x(*probit(1, 1), Gaussian::point_mass(u)).message;
  EXPECT_NEAR(at_point.rho(), v * (v + u), kRounding);
  EXPECT_NEAR(at_point.tau(), v + u * v * (v + u), kRounding);
  const Reply nothing = to_x(*probit(1, 1), Gaussian());
  EXPECT_TRUE(nothing.message.is_uniform());
  EXPECT_EQ(nothing.event, Event::vanished);
  EXPECT_NEAR(nothing.log_scale.value(), std::log(0.5), kRounding);
  EXPECT_EQ(to_x(*probit(1, 0), Gaussian::point_mass(-1)).event, Event::contradicted);
  EXPECT_TRUE(to_x(*probit(1, 0), Gaussian::point_mass(1)).message.is_uniform());
}

TEST(Probit, NeverNegativeAndFlips) {
  RandomStream random(kSeed, 2);
  for (int i = 0; i < 2000; ++i) {
    const Moments x = wide_moments(random);
    const double scale = random.log_uniform(1e-3, 1e3);
    const Gaussian plain = to_x(*probit(1, scale), gaussian(x)).message;
    const Gaussian flipped = to_x(*probit(-1, scale), gaussian({-x.mean, x.variance})).message;
    EXPECT_GE(plain.rho(), 0);
    EXPECT_EQ(flipped.tau(), -plain.tau());
    EXPECT_EQ(flipped.rho(), plain.rho());
  }
}

TEST(Probit, RefusesOtherSignsAndScales) {
  EXPECT_THROW(probit(0, 1), InvalidArgument);
  EXPECT_THROW(probit(2, 1), InvalidArgument);
  EXPECT_THROW(probit(1, -1), InvalidArgument);
  EXPECT_THROW(probit(1, kInfinity), InvalidArgument);
}

}  // namespace
}  // namespace postrider::graph
