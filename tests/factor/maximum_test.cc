#include "factor/cases.h"
#include "factor/real.h"
#include "factor/reference.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kZ = 0, kX = 1, kY = 2;

Reply send(std::size_t edge, const std::vector<Gaussian>& incoming) {
  static const std::unique_ptr<Factor> factor = make_factor("maximum");
  const Reply reply = factor->send(edge, edge == kZ ? Rule::direct : Rule::conditioned, incoming);
  expect_valid(reply, text(incoming));
  return reply;
}

double below(double t, const Moments& of) {
  return log_cdf((t - of.mean) / std::sqrt(of.variance));
}
double above(double t, const Moments& of) {
  return log_cdf((of.mean - t) / std::sqrt(of.variance));
}

// The density of z: one input is there and the other below.
LogDensity exact_to_z(const Moments& x, const Moments& y) {
  return [=](double z) {
    return log_sum(log_density(z, x) + below(z, y), log_density(z, y) + below(z, x));
  };
}

// To x: either y is below and z = x, or y is above and meets the message from z.
LogDensity exact_to_x(const Moments& y, const Moments& z) {
  const double sum = y.variance + z.variance;
  const Moments meeting{(y.mean * z.variance + z.mean * y.variance) / sum,
                        y.variance * z.variance / sum};
  const double agreement = log_density(y.mean, z.mean, sum);
  return [=](double x) {
    return log_sum(log_density(x, z) + below(x, y), agreement + above(x, meeting));
  };
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::vector<double> around(const Moments& of) {
  return reference::around(of.mean, std::sqrt(of.variance));
}

TEST(Maximum, ExactMessageToXIsTheIntegralOverY) {
  Agreement agreement("maximum, exact message to x", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 100; ++i) {
    const Moments y = moderate_moments(random), z = moderate_moments(random);
    const double x = 4 * random.normal();
    const Moments integral =
        by_quadrature([&](double t) { return log_density(t, y) + log_density(std::max(x, t), z); },
                      y, joined(around(z), {x}));
    const double expected = exact_to_x(y, z)(x);
    agreement.moments({0, 1}, {0, 1}, "");
    if (expected > kDeepestLogMass) agreement.log_mass(expected, integral.log_mass, "");
  }
}

TEST(Maximum, ForwardHasTheMomentsOfTheMaximum) {
  Agreement agreement("maximum to z", kExact);
  RandomStream random(kSeed, 1);
  for (int i = 0; i < 150; ++i) {
    const Moments x = any_moments(random), y = any_moments(random);
    const Moments& wider = x.variance > y.variance ? x : y;
    const Moments expected = by_quadrature(exact_to_z(x, y), wider, joined(around(x), around(y)));
    const Reply reply = send(kZ, {{}, gaussian(x), gaussian(y)});
    const std::string where = text({gaussian(x), gaussian(y)});
    agreement.message(reply.message, expected, where);
    agreement.log_mass(reply.log_scale.value(), expected.log_mass, where);
  }
}

// Clark's formulas as printed.
TEST(Maximum, ForwardIsClarks) {
  Agreement agreement("maximum to z, as printed", kRounding);
  RandomStream random(kSeed, 2);
  for (int i = 0; i < 300; ++i) {
    const Gaussian x = gaussian(any_moments(random)), y = gaussian(any_moments(random));
    const Real mx = Real(x.tau()) / x.rho(), my = Real(y.tau()) / y.rho();
    const Real vx = 1 / Real(x.rho()), vy = 1 / Real(y.rho());
    const Real theta = sqrt(vx + vy), alpha = (mx - my) / theta;
    const Real p = real_cdf(alpha), q = real_cdf(-alpha), phi = real_density(alpha);
    const Real mean = mx * p + my * q + theta * phi;
    const Real second = (mx * mx + vx) * p + (my * my + vy) * q + (mx + my) * theta * phi;
    agreement.message(send(kZ, {{}, x, y}).message,
                      {static_cast<double>(mean), static_cast<double>(second - mean * mean)},
                      text({x, y}));
  }
}

TEST(Maximum, BackwardHasTheTiltedMoments) {
  Agreement agreement("maximum to x and y", kExact);
  Agreement guarded("maximum to x and y, guard", kExact);
  RandomStream random(kSeed, 3);
  for (int i = 0; i < 300; ++i) {
    const Moments x = any_moments(random), y = any_moments(random), z = any_moments(random);
    const Moments tilted = tilted_by_quadrature(exact_to_x(y, z), x, joined(around(y), around(z)));
    if (!(tilted.log_mass > kDeepestLogMass)) continue;
    const std::string where = text({gaussian(z), gaussian(x), gaussian(y)});
    for (const std::size_t edge : {kX, kY}) {
      const Reply reply = edge == kX ? send(kX, {gaussian(z), gaussian(x), gaussian(y)})
                                     : send(kY, {gaussian(z), gaussian(y), gaussian(x)});
      if (reply.event != Event::linearised) {
        expect_tilted(agreement, reply, x, tilted, where);
        continue;
      }
      if (reply.message.is_uniform()) continue;
      const Moments& wider = x.variance > y.variance ? x : y;
      const Moments out = by_quadrature(exact_to_z(x, y), wider, joined(around(x), around(y)));
      const double slope =
          std::exp(log_cdf((x.mean - y.mean) / std::sqrt(x.variance + y.variance)));  // P(x > y)
      expect_linearised(guarded, reply, x, z, {out.mean, out.variance, slope}, tilted, where);
    }
  }
  EXPECT_GT(agreement.cases(), 200);
}

TEST(Maximum, DominantInputIsTheMaximum) {
  const Gaussian x = Gaussian::from_moments(60, 2), y = Gaussian::from_moments(0, 1);
  const Gaussian z = Gaussian::from_moments(58, 3);
  EXPECT_TRUE(equal_within(send(kZ, {{}, x, y}).message, x, {kRounding}));
  EXPECT_TRUE(equal_within(send(kX, {z, x, y}).message, z, {kRounding})) << "[limit: dominant]";
}

TEST(Maximum, DominatedInputHearsAlmostNothing) {
  const Gaussian x = Gaussian::from_moments(0, 1), y = Gaussian::from_moments(10, 1);
  const Gaussian z = Gaussian::from_moments(10, 1);
  constexpr double kAlmostNothing = 1e-9;  // Phi(-10/sqrt(2)) and its multiples
  EXPECT_LT(send(kX, {z, x, y}).message.rho(), kAlmostNothing);
  EXPECT_TRUE(equal_within(x * send(kX, {z, x, y}).message, x, {kAlmostNothing}))
      << "[limit: dominated]";
}

TEST(Maximum, KnownInputsGiveTheirMaximum) {
  const auto point = [](double t) { return Gaussian::point_mass(t); };
  EXPECT_EQ(send(kZ, {{}, point(2), point(-3)}).message, point(2));
  EXPECT_EQ(send(kZ, {{}, point(-3), point(2)}).message, point(2));
  EXPECT_EQ(send(kZ, {{}, point(2), point(2)}).message, point(2)) << "[limit: known]";
}

TEST(Maximum, NothingGivesNothing) {
  const Gaussian some = Gaussian::from_moments(1, 2);
  EXPECT_TRUE(send(kZ, {{}, some, {}}).message.is_uniform());
  EXPECT_TRUE(send(kZ, {{}, {}, some}).message.is_uniform());
  for (const Gaussian& x : corner_messages()) {
    const Reply reply = send(kX, {{}, x, some});
    EXPECT_TRUE(reply.message.is_uniform()) << x;
    EXPECT_EQ(reply.event, Event::none) << x;
    EXPECT_TRUE(send(kX, {some, x, {}}).message.is_uniform()) << x;
  }
}

TEST(Maximum, IsSymmetric) {
  RandomStream random(kSeed, 4);
  for (int i = 0; i < 300; ++i) {
    const Gaussian z = any_state(random), a = any_state(random), b = any_state(random);
    EXPECT_EQ(send(kX, {z, a, b}).message, send(kY, {z, b, a}).message) << text({z, a, b});
    EXPECT_TRUE(
        equal_within(send(kZ, {{}, a, b}).message, send(kZ, {{}, b, a}).message, {kRounding}))
        << text({a, b});
  }
}

TEST(Maximum, ScalesWithItsMessages) {
  RandomStream random(kSeed, 5);
  constexpr double kScale = 8;
  const auto scaled = [](const Moments& m) {
    return Gaussian::from_moments(kScale * m.mean, kScale * kScale * m.variance);
  };
  for (int i = 0; i < 200; ++i) {
    const Moments x = moderate_moments(random), y = moderate_moments(random),
                  z = moderate_moments(random);
    const Gaussian plain = send(kX, {gaussian(z), gaussian(x), gaussian(y)}).message;
    const Gaussian larger = send(kX, {scaled(z), scaled(x), scaled(y)}).message;
    EXPECT_TRUE(equal_within(scaled(x) * larger, scaled(moments_of(gaussian(x) * plain)), {kExact}))
        << text({gaussian(z), gaussian(x), gaussian(y)});
    const Gaussian forward = send(kZ, {{}, gaussian(x), gaussian(y)}).message;
    EXPECT_TRUE(equal_within(send(kZ, {{}, scaled(x), scaled(y)}).message,
                             scaled(moments_of(forward)), {kRounding}));
  }
}

}  // namespace
}  // namespace postrider::graph
