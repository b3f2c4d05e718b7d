#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kY = 0, kX = 1;

Reply send(const Factor& factor, std::size_t edge, const Gaussian& y, const Gaussian& x) {
  const Reply reply =
      factor.send(edge, edge == kY ? Rule::direct : Rule::conditioned, std::vector{y, x});
  expect_valid(reply, text({y, x}));
  return reply;
}

double hyperbolic(double x) { return std::tanh(x); }

// The factor itself uses adaptive quadrature; the reference is the trapezoidal rule.
TEST(Deterministic, SmoothFunctionHasMomentsAndTiltedMoments) {
  Agreement agreement("deterministic tanh", kExact);
  RandomStream random(kSeed, 0);
  const auto factor = make_deterministic("tanh", hyperbolic);
  int tilted_cases = 0, held_cases = 0;
  for (int i = 0; i < 40; ++i) {
    const Moments x{random.normal(), random.log_uniform(0.01, 1)};
    const Moments y{random.uniform(-1, 1), random.log_uniform(0.1, 10)};
    const double mean = trapezoidal(hyperbolic, x);
    const double variance =
        trapezoidal([&](double t) { return std::pow(hyperbolic(t) - mean, 2); }, x);
    agreement.message(send(*factor, kY, {}, gaussian(x)).message, {mean, variance},
                      text({gaussian(x)}));

    const auto weight = [&](double t) { return std::exp(log_density(hyperbolic(t), y)); };
    const double mass = trapezoidal(weight, x);
    const double centre = trapezoidal([&](double t) { return t * weight(t); }, x) / mass;
    const double spread =
        trapezoidal([&](double t) { return std::pow(t - centre, 2) * weight(t); }, x) / mass;
    const Reply back = send(*factor, kX, gaussian(y), gaussian(x));
    if (back.event == Event::held) {
      EXPECT_GE(spread, x.variance * (1 - kExact));
      EXPECT_GT(back.message.rho(), 0);
      EXPECT_NEAR((gaussian(x) * back.message).mean(), centre, kExact);
      ++held_cases;
      continue;
    }
    ++tilted_cases;
    expect_tilted(agreement, back, x, {centre, spread, std::log(mass)},
                  text({gaussian(y), gaussian(x)}));
  }
  EXPECT_GT(tilted_cases, 20);
  EXPECT_GT(held_cases, 3);
}

// A box so narrow that no search would meet it by chance: E[g] is its area times the density there.
TEST(Deterministic, KinksTellWhereToLook) {
  constexpr double kAt = 0.7, kHalf = 1e-6, kHeight = 1e5;
  const auto factor =
      make_deterministic("box", [](double x) { return std::abs(x - kAt) < kHalf ? kHeight : 0; },
                         {kAt - kHalf, kAt + kHalf});
  const Gaussian x = Gaussian::from_moments(0.2, 1.5);
  const double probability = 2 * kHalf * std::exp(x.log_density(kAt));
  const Gaussian y = send(*factor, kY, {}, x).message;
  EXPECT_NEAR(y.mean() / (kHeight * probability), 1, kExact);
  EXPECT_NEAR(y.variance() / (kHeight * kHeight * probability * (1 - probability)), 1, kExact);
}

TEST(Deterministic, SquareHasTheMomentsOfChiSquared) {
  Agreement agreement("deterministic square", kExact);
  RandomStream random(kSeed, 1);
  const auto factor = make_deterministic("square", [](double x) { return x * x; });
  for (int i = 0; i < 20; ++i) {
    const Moments x = moderate_moments(random);
    const double m2 = x.mean * x.mean, s2 = x.variance;
    agreement.message(send(*factor, kY, {}, gaussian(x)).message,
                      {m2 + s2, 2 * s2 * s2 + 4 * m2 * s2}, text({gaussian(x)}));
  }
}

// With its kink named, a rectifier is as exact as the library's own.
TEST(Deterministic, KinkIsRespected) {
  const auto own = make_deterministic("relu", [](double x) { return std::max(x, 0.0); }, {0});
  // max(N(0, 1), 0): mean 1/sqrt(2 pi), variance (1 - 1/pi)/2.
  const Gaussian out = send(*own, kY, {}, Gaussian::from_moments(0, 1)).message;
  EXPECT_NEAR(out.mean(), 1 / std::sqrt(2 * M_PI), kRounding);
  EXPECT_NEAR(out.variance(), 0.5 * (1 - 1 / M_PI), kRounding);
}

TEST(Deterministic, AffineIsExactBothWays) {
  Agreement agreement("deterministic affine", kExact);
  RandomStream random(kSeed, 2);
  const auto factor = make_deterministic("affine", [](double x) { return 3 - 2 * x; });
  for (int i = 0; i < 30; ++i) {
    const Moments x = moderate_moments(random), y = moderate_moments(random);
    agreement.message(send(*factor, kY, {}, gaussian(x)).message, {3 - 2 * x.mean, 4 * x.variance},
                      text({gaussian(x)}));
    const Gaussian inverse = Gaussian::from_moments((3 - y.mean) / 2, y.variance / 4);
    agreement.message(gaussian(x) * send(*factor, kX, gaussian(y), gaussian(x)).message,
                      moments_of(gaussian(x) * inverse), text({gaussian(y), gaussian(x)}));
  }
  constexpr double kDifferenced = 1e-8;  // a derivative by central difference
  EXPECT_TRUE(
      equal_within(send(*factor, kX, Gaussian::from_moments(1, 4), Gaussian::point_mass(5)).message,
                   Gaussian::from_moments(1, 1), {kDifferenced}))
      << "[limit: affine]";
}

TEST(Deterministic, KnownInputIsMapped) {
  const auto factor = make_deterministic("tanh", hyperbolic);
  const Gaussian out = send(*factor, kY, {}, Gaussian::point_mass(0.7)).message;
  ASSERT_TRUE(out.is_point_mass());
  EXPECT_NEAR(out.mean(), std::tanh(0.7), kRounding) << "[limit: known_input]";
}

TEST(Deterministic, ConstantSaysNothing) {
  const auto factor = make_deterministic("constant", [](double) { return 2.0; });
  const Gaussian x = Gaussian::from_moments(1, 3), y = Gaussian::from_moments(0, 1);
  // Nothing is the least precision that is sent, 1e-8 of what x knew.
  constexpr double kLeast = 1.1e-8;
  EXPECT_TRUE(equal_within(x * send(*factor, kX, y, x).message, x, {kLeast}));
  EXPECT_NEAR(send(*factor, kY, y, x).message.mean(), 2, kRounding) << "[limit: flat]";
}

TEST(Deterministic, NothingGivesNothing) {
  const auto factor = make_deterministic("tanh", hyperbolic);
  const Gaussian some = Gaussian::from_moments(0.5, 1);
  EXPECT_TRUE(send(*factor, kY, some, {}).message.is_uniform());
  EXPECT_TRUE(send(*factor, kX, {}, some).message.is_uniform());
  EXPECT_EQ(send(*factor, kX, some, {}).event, Event::vanished);
}

TEST(Deterministic, EveryStateGivesAValidMessage) {
  const auto factor = make_deterministic("tanh", hyperbolic);
  for (const Gaussian& y : corner_messages())
    for (const Gaussian& x : corner_messages())
      for (const std::size_t edge : {kY, kX}) send(*factor, edge, y, x);
}

TEST(Deterministic, RefusesMistakes) {
  EXPECT_THROW(make_deterministic("none", nullptr), InvalidArgument);
  const auto factor = make_deterministic("tanh", hyperbolic);
  EXPECT_THROW(factor->send(kX, Rule::direct, std::vector<Gaussian>(2)), InvalidArgument);
  EXPECT_THROW(factor->send(kY, Rule::direct, std::vector<Gaussian>(1)), InvalidArgument);
}

TEST(Deterministic, OfAKnownOutputIsTheRoot) {
  constexpr double kRoot = 1e-12;
  const auto softplus =
      make_deterministic("softplus", [](double x) { return std::log1p(std::exp(x)); });
  const Gaussian x = Gaussian::from_moments(3, 1);
  const Reply reply = softplus->send(1, Rule::conditioned, std::vector{Gaussian::point_mass(1), x});
  const double root = std::log(std::expm1(1));
  ASSERT_TRUE(reply.message.is_point_mass());
  EXPECT_EQ(reply.event, Event::none);
  EXPECT_NEAR(reply.message.mean(), root, kRoot);
  // The density of y at 1 is N(root)/g'(root), g' = 1 - exp(-y).
  constexpr double kScale = 1e-6;  // the spike that stands for the known output has a width of 1e-7
  EXPECT_NEAR(*reply.log_scale, -std::log(1 - std::exp(-1)), kScale) << "[limit: known_output]";
}

TEST(Deterministic, OfAKnownOutputWithTwoRootsHasTheirMoments) {
  constexpr double kSpikes = 1e-5;
  const auto squared = make_deterministic("square", [](double x) { return x * x; });
  const Gaussian x = Gaussian::from_moments(0, 4);
  const Reply reply = squared->send(1, Rule::conditioned, std::vector{Gaussian::point_mass(1), x});
  const Gaussian belief = reply.message * x;
  EXPECT_NEAR(belief.mean(), 0, kSpikes);
  EXPECT_NEAR(belief.variance(), 1, kSpikes);
}

}  // namespace
}  // namespace postrider::graph
