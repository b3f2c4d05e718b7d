#include "factor/cases.h"
#include "factor/real.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kY = 0, kX = 1;
constexpr double kSlopes[] = {0, 0.01, 0.1, 0.5, 0.8, 1};

// Without a slope, an input this many deviations left of zero leaves an output so small that
// quadrature over the input does not see it; the printed formulas in fifty digits go on.
constexpr double kFlatReach = -8;

std::unique_ptr<Factor> relu(double slope) {
  return make_factor("leaky_relu", {{"slope", {slope}}});
}

Reply send(double slope, std::size_t edge, Rule rule, const Gaussian& y, const Gaussian& x) {
  const Reply reply = relu(slope)->send(edge, rule, std::vector{y, x});
  expect_valid(reply, text({y, x}));
  return reply;
}

double rectified(double slope, double x) { return x > 0 ? x : slope * x; }

// The exact message to x: what comes back along y, seen through g.
LogDensity exact(double slope, const Moments& y) {
  return [=](double x) { return log_density(rectified(slope, x), y); };
}

std::string where(double slope, const Moments& y, const Moments& x) {
  return "slope " + std::to_string(slope) + ", y, x: " + text({gaussian(y), gaussian(x)});
}

TEST(LeakyRelu, ForwardHasTheMomentsOfTheOutput) {
  Agreement agreement("leaky_relu to y", kExact);
  RandomStream random(kSeed, 0);
  for (const double slope : kSlopes)
    for (int i = 0; i < 40; ++i) {
      const Moments x = any_moments(random);
      if (slope == 0 && x.mean < kFlatReach * std::sqrt(x.variance)) continue;
      const Linearisation out = linearise([&](double t) { return rectified(slope, t); }, x, {0});
      const Reply reply = send(slope, kY, Rule::direct, {}, gaussian(x));
      agreement.message(reply.message, {out.mean, out.variance}, where(slope, x, x));
      agreement.log_mass(reply.log_scale.value(), 0, "a density maps to a density");
    }
}

TEST(LeakyRelu, ForwardIsTheProposition) {
  Agreement agreement("leaky_relu to y, as printed", kRounding);
  RandomStream random(kSeed, 1);
  for (const double slope : kSlopes)
    for (int i = 0; i < 50; ++i) {
      const Gaussian x = gaussian(any_moments(random));
      const Real a = slope, m = Real(x.tau()) / x.rho(), s = 1 / sqrt(Real(x.rho())), u = m / s;
      // Without a slope the output's moments leave the normal doubles at some point.
      if (slope == 0 && u < -30) continue;
      const Real p = real_cdf(u), phi = real_density(u);
      const Real mean = m * (a + (1 - a) * p) + (1 - a) * s * phi;
      const Real variance =
          (m * m + s * s) * (a * a + (1 - a * a) * p) + (1 - a * a) * m * s * phi - mean * mean;
      agreement.message(send(slope, kY, Rule::direct, {}, x).message,
                        {static_cast<double>(mean), static_cast<double>(variance)},
                        "slope " + std::to_string(slope) + text({x}) + " [limit: proposition]");
    }
}

TEST(LeakyRelu, DirectIsTheProposition) {
  Agreement agreement("leaky_relu to x direct, as printed", kRounding);
  RandomStream random(kSeed, 2);
  for (const double slope : {0.01, 0.1, 0.5, 0.8, 1.0})
    for (int i = 0; i < 50; ++i) {
      const Gaussian y = gaussian(any_moments(random));
      const Real a = slope, m = Real(y.tau()) / y.rho(), s = 1 / sqrt(Real(y.rho())), v = m / s;
      const Real p = real_cdf(v), q = real_cdf(-v), phi = real_density(v), c = a * p + q;
      const Real mean = (m * (a * a * p + q) + (a * a - 1) * s * phi) / (a * c);
      const Real second =
          ((m * m + s * s) * (a * a * a * p + q) + (a * a * a - 1) * m * s * phi) / (a * a * c);
      const Reply reply = send(slope, kX, Rule::direct, y, {});
      agreement.message(reply.message,
                        {static_cast<double>(mean), static_cast<double>(second - mean * mean)},
                        "slope " + std::to_string(slope) + text({y}));
      agreement.log_mass(reply.log_scale.value(), static_cast<double>(log(c / a)),
                         text({y}) + " [limit: proposition]");
    }
}

TEST(LeakyRelu, DirectHasTheMomentsOfTheExactMessage) {
  Agreement agreement("leaky_relu to x, direct", kExact);
  RandomStream random(kSeed, 3);
  for (const double slope : {0.01, 0.1, 0.5, 0.8, 1.0})
    for (int i = 0; i < 40; ++i) {
      const Moments y = any_moments(random);
      const double inverse = y.mean > 0 ? y.mean : y.mean / slope;
      const Moments expected =
          by_quadrature(exact(slope, y), {inverse, y.variance / (slope * slope)}, {0});
      const Reply reply = send(slope, kX, Rule::direct, gaussian(y), {});
      agreement.message(reply.message, expected, where(slope, y, y));
      agreement.log_mass(reply.log_scale.value(), expected.log_mass, where(slope, y, y));
    }
}

TEST(LeakyRelu, ConditionedHasTheTiltedMoments) {
  Agreement agreement("leaky_relu to x, conditioned", kExact);
  Agreement guarded("leaky_relu to x, guard", kExact);
  RandomStream random(kSeed, 4);
  for (const double slope : kSlopes)
    for (int i = 0; i < 120; ++i) {
      const Moments y = any_moments(random), x = any_moments(random);
      std::vector<double> kinks{0, y.mean};
      if (slope > 0) kinks.push_back(y.mean / slope);
      const Moments tilted = tilted_by_quadrature(exact(slope, y), x, kinks);
      if (!(tilted.log_mass > kDeepestLogMass)) continue;
      const Reply reply = send(slope, kX, Rule::conditioned, gaussian(y), gaussian(x));
      if (reply.event == Event::linearised) {
        EXPECT_GE(tilted.variance, x.variance * (1 - kExact)) << where(slope, y, x);
        if (slope == 0 && x.mean < kFlatReach * std::sqrt(x.variance)) continue;
        const Linearisation at = linearise([&](double t) { return rectified(slope, t); }, x, {0});
        expect_linearised(guarded, reply, x, y, at, tilted, where(slope, y, x));
      } else {
        expect_tilted(agreement, reply, x, tilted, where(slope, y, x));
      }
    }
  EXPECT_GT(agreement.cases(), 300);
}

TEST(LeakyRelu, SlopeOneHandsTheMessageOn) {
  Agreement agreement("leaky_relu, slope 1", kExact);
  RandomStream random(kSeed, 5);
  for (int i = 0; i < 300; ++i) {
    const Moments a = moderate_moments(random), b = moderate_moments(random);
    agreement.message(send(1, kY, Rule::direct, {}, gaussian(a)).message, a, where(1, a, a));
    agreement.message(send(1, kX, Rule::direct, gaussian(a), {}).message, a, where(1, a, a));
    const Gaussian back = send(1, kX, Rule::conditioned, gaussian(a), gaussian(b)).message;
    agreement.message(gaussian(b) * back, moments_of(gaussian(a) * gaussian(b)),
                      where(1, a, b) + " [limit: identity]");
  }
}

TEST(LeakyRelu, SlopeZeroIsTheRectifier) {
  // max(N(0, 1), 0): mean 1/sqrt(2 pi), variance (1 - 1/pi)/2.
  const Gaussian out = send(0, kY, Rule::direct, {}, Gaussian::from_moments(0, 1)).message;
  EXPECT_NEAR(out.mean(), 1 / std::sqrt(2 * M_PI), kRounding);
  EXPECT_NEAR(out.variance(), 0.5 * (1 - 1 / M_PI), kRounding);
  // A known output above zero is the input; at zero the input is only known to be negative.
  const Gaussian x = Gaussian::from_moments(0.5, 2);
  EXPECT_EQ(send(0, kX, Rule::conditioned, Gaussian::point_mass(3), x).message,
            Gaussian::point_mass(3))
      << "[limit: rectifier]";
  const Reply cut = send(0, kX, Rule::conditioned, Gaussian::point_mass(0), x);
  Agreement agreement("leaky_relu slope 0, output 0", kExact);
  agreement.message(
      x * cut.message,
      tilted_by_quadrature([](double t) { return t < 0 ? 0 : -kInfinity; }, {0.5, 2}, {0}),
      "x | y = 0");
}

// Far on the flat side nothing is heard of y.
TEST(LeakyRelu, NothingGetsThroughAFlatSide) {
  const Gaussian x = Gaussian::from_moments(-60, 1), y = Gaussian::from_moments(1, 1);
  EXPECT_TRUE(send(0, kX, Rule::conditioned, y, x).message.is_uniform());
}

TEST(LeakyRelu, FarRightIsTheIdentity) {
  const Gaussian x = Gaussian::from_moments(50, 1), y = Gaussian::from_moments(48, 2);
  for (const double slope : kSlopes) {
    EXPECT_TRUE(equal_within(send(slope, kY, Rule::direct, {}, x).message, x, {kRounding}));
    EXPECT_TRUE(equal_within(send(slope, kX, Rule::conditioned, y, x).message, y, {kRounding}));
    if (slope == 0) continue;
    EXPECT_TRUE(equal_within(send(slope, kX, Rule::direct, y, {}).message, y, {kRounding}))
        << "[limit: far_right]";
  }
}

TEST(LeakyRelu, FarLeftIsTheSlope) {
  for (const double slope : {0.1, 0.5, 1.0}) {
    const Gaussian x = Gaussian::from_moments(-50, 1);
    const Gaussian y = Gaussian::from_moments(-48 * slope, 2 * slope * slope);
    const Gaussian inverse = Gaussian::from_moments(-48, 2);
    EXPECT_TRUE(equal_within(send(slope, kY, Rule::direct, {}, x).message,
                             Gaussian::from_moments(-50 * slope, slope * slope), {kRounding}));
    EXPECT_TRUE(
        equal_within(send(slope, kX, Rule::conditioned, y, x).message, inverse, {kRounding}));
    EXPECT_TRUE(equal_within(send(slope, kX, Rule::direct, y, {}).message, inverse, {kRounding}))
        << "[limit: far_left]";
  }
}

TEST(LeakyRelu, KnownOutputIsInverted) {
  const Gaussian x = Gaussian::from_moments(1, 4);
  for (const Rule rule : {Rule::direct, Rule::conditioned}) {
    const Reply right = send(0.25, kX, rule, Gaussian::point_mass(3), x);
    EXPECT_EQ(right.message, Gaussian::point_mass(3));
    EXPECT_EQ(right.log_scale, 0);
    const Reply left = send(0.25, kX, rule, Gaussian::point_mass(-3), x);
    EXPECT_EQ(left.message, Gaussian::point_mass(-12));
    EXPECT_NEAR(left.log_scale.value(), std::log(4), kRounding) << "[limit: known_output]";
  }
}

TEST(LeakyRelu, KnownInputIsMapped) {
  for (const double slope : kSlopes)
    for (const double x : {-2.0, 0.0, 3.0})
      EXPECT_EQ(send(slope, kY, Rule::direct, {}, Gaussian::point_mass(x)).message,
                Gaussian::point_mass(rectified(slope, x)));
}

TEST(LeakyRelu, NothingGivesNothing) {
  for (const double slope : kSlopes) {
    EXPECT_TRUE(send(slope, kY, Rule::direct, {}, {}).message.is_uniform());
    for (const Gaussian& x : corner_messages())
      EXPECT_TRUE(send(slope, kX, Rule::conditioned, {}, x).message.is_uniform()) << x;
  }
}

// Without a forward message the two rules are one.
TEST(LeakyRelu, ConditionedOnNothingIsDirect) {
  const Gaussian y = Gaussian::from_moments(0.3, 2);
  EXPECT_EQ(send(0.1, kX, Rule::conditioned, y, {}).message,
            send(0.1, kX, Rule::direct, y, {}).message);
  EXPECT_EQ(send(0, kX, Rule::conditioned, y, {}).event, Event::vanished);
}

TEST(LeakyRelu, ScalesWithItsMessages) {
  RandomStream random(kSeed, 6);
  constexpr double kScale = 8;  // a power of two: equal up to the rounding of special functions
  const auto scaled = [](const Moments& m) {
    return Gaussian::from_moments(kScale * m.mean, kScale * kScale * m.variance);
  };
  for (int i = 0; i < 200; ++i) {
    const Moments x = moderate_moments(random), y = moderate_moments(random);
    const Gaussian plain = send(0.1, kX, Rule::conditioned, gaussian(y), gaussian(x)).message;
    const Gaussian larger = send(0.1, kX, Rule::conditioned, scaled(y), scaled(x)).message;
    EXPECT_TRUE(equal_within(scaled(x) * larger, scaled(moments_of(gaussian(x) * plain)), {kExact}))
        << where(0.1, y, x);
    const Gaussian forward = send(0.1, kY, Rule::direct, {}, gaussian(x)).message;
    EXPECT_TRUE(equal_within(send(0.1, kY, Rule::direct, {}, scaled(x)).message,
                             scaled(moments_of(forward)), {kRounding}));
    const Gaussian direct = send(0.1, kX, Rule::direct, gaussian(y), {}).message;
    EXPECT_TRUE(equal_within(send(0.1, kX, Rule::direct, scaled(y), {}).message,
                             scaled(moments_of(direct)), {kRounding}));
  }
}

TEST(LeakyRelu, RefusesOtherSlopesAndTheImproperRule) {
  EXPECT_THROW(relu(-0.1), InvalidArgument);
  EXPECT_THROW(relu(1.5), InvalidArgument);
  EXPECT_THROW(relu(std::nan("")), InvalidArgument);
  try {
    send(0, kX, Rule::direct, Gaussian::from_moments(0, 1), {});
    FAIL() << "slope 0 has no direct message";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("infinite mass; use conditioned"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace postrider::graph
