#include "factor/cases.h"
#include "factor/real.h"
#include "factor/reference.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kZ = 0, kX = 1, kY = 2;

Reply send(std::size_t edge, Rule rule, const std::vector<Gaussian>& incoming) {
  static const std::unique_ptr<Factor> factor = make_factor("product");
  const Reply reply = factor->send(edge, rule, incoming);
  expect_valid(reply, text(incoming));
  return reply;
}

// Edges are named by what they are to the message sent: `self` gets it, `other` is the second
// input.
Reply back(std::size_t edge, Rule rule, const Gaussian& z, const Gaussian& self,
           const Gaussian& other) {
  return edge == kX ? send(kX, rule, {z, self, other}) : send(kY, rule, {z, other, self});
}

TEST(Product, ForwardHasTheMomentsOfTheProduct) {
  Agreement agreement("product to z", kExact);
  RandomStream random(kSeed, 0);
  for (int i = 0; i < 50; ++i) {
    const Moments x = wide_moments(random), y = wide_moments(random);
    const auto expect = [&](const std::function<double(double)>& f) {
      return trapezoidal(
          [&](double a) { return trapezoidal([&](double b) { return f(a * b); }, y); }, x);
    };
    // About a shift near the mean, so that nothing large is subtracted.
    const double shift = x.mean * y.mean;
    const double offset = expect([&](double z) { return z - shift; });
    const double variance = expect([&](double z) { return std::pow(z - shift - offset, 2); });
    const Reply reply = send(kZ, Rule::direct, {Gaussian(), gaussian(x), gaussian(y)});
    agreement.message(reply.message, {shift + offset, variance}, text({gaussian(x), gaussian(y)}));
    agreement.log_mass(reply.log_scale.value(), 0, "a density maps to a density");
  }
}

// The formulas as the paper prints them, in natural parameters.
TEST(Product, DirectIsTheProposition) {
  Agreement agreement("product to x and y, direct", kRounding);
  RandomStream random(kSeed, 1);
  for (int i = 0; i < 1000; ++i) {
    const Gaussian z = gaussian(wide_moments(random)), y = gaussian(wide_moments(random));
    const Real tau_y = y.tau(), rho_y = y.rho(), tau_z = z.tau(), rho_z = z.rho();
    const Real r = pow(tau_y, 4) * rho_z / (rho_y * (tau_y * tau_y + rho_y));
    const Real d = tau_z * tau_z * rho_y + tau_y * tau_y * rho_z + rho_y * rho_z;
    const Real tau = tau_y * r * tau_z / d, rho = r * r / d;
    const Moments expected{static_cast<double>(tau / rho), static_cast<double>(1 / rho)};
    for (const std::size_t edge : {kX, kY})
      agreement.message(back(edge, Rule::direct, z, gaussian(wide_moments(random)), y).message,
                        expected, text({z, y}) + " [limit: proposition]");
  }
}

// The same from where the paper derives it: log|y| and log|z| Gaussian, with the moments of y and
// z.
TEST(Product, DirectIsAQuotientOfLogNormals) {
  Agreement agreement("product direct, as a quotient of log-normals", kRounding);
  RandomStream random(kSeed, 2);
  struct LogNormal {
    Real mean, variance;
  };
  const auto matched = [](const Gaussian& g) {
    const Real ratio = Real(g.rho()) / (Real(g.tau()) * g.tau());
    const Real variance = log(1 + ratio), mean = abs(Real(g.tau()) / g.rho());
    return LogNormal{log(mean) - variance / 2, variance};
  };
  for (int i = 0; i < 200; ++i) {
    const Gaussian z = gaussian(wide_moments(random)), y = gaussian(wide_moments(random));
    const LogNormal of_y = matched(y), of_z = matched(z);
    const Real m = of_z.mean - of_y.mean, v = of_z.variance + of_y.variance;
    const double sign = std::copysign(1.0, y.tau() * z.tau());
    const Real mean = sign * exp(m + v / 2), variance = exp(2 * m + v) * (exp(v) - 1);
    agreement.message(back(kX, Rule::direct, z, Gaussian(), y).message,
                      {static_cast<double>(mean), static_cast<double>(variance)}, text({z, y}));
  }
}

// z given x is N(mean_y x, var_y x^2); with the forward message of x deciding how large the second
// term is, x sees N(mean_z; mean_y x, E[var_z + var_y x^2]).
TEST(Product, ConditionedAveragesTheConditionalVariance) {
  Agreement agreement("product to x and y, conditioned", kExact);
  RandomStream random(kSeed, 3);
  for (int i = 0; i < 200; ++i) {
    const Moments x = wide_moments(random), y = wide_moments(random), z = wide_moments(random);
    const Tabulated forward([&](double t) { return log_density(t, x); },
                            gaussian_range(x.mean, x.variance, {}));
    const double d = forward.expect([&](double t) { return z.variance + y.variance * t * t; });
    const Moments expected{z.mean / y.mean, d / (y.mean * y.mean)};
    const Moments mass =
        by_quadrature([&](double t) { return log_density(z.mean, y.mean * t, d); }, expected);
    for (const std::size_t edge : {kX, kY}) {
      const Reply reply = back(edge, Rule::conditioned, gaussian(z), gaussian(x), gaussian(y));
      agreement.message(reply.message, expected, text({gaussian(z), gaussian(x), gaussian(y)}));
      agreement.log_mass(reply.log_scale.value(), mass.log_mass, text({gaussian(y)}));
    }
  }
}

TEST(Product, KnownFactorDivides) {
  Agreement agreement("product, y known", kRounding);
  RandomStream random(kSeed, 4);
  for (int i = 0; i < 100; ++i) {
    const Moments z = wide_moments(random), x = wide_moments(random);
    const double y = random.uniform(-5, 5);
    const Moments expected{z.mean / y, z.variance / (y * y)};
    for (const Rule rule : {Rule::direct, Rule::conditioned})
      for (const std::size_t edge : {kX, kY})
        agreement.message(
            back(edge, rule, gaussian(z), gaussian(x), Gaussian::point_mass(y)).message, expected,
            text({gaussian(z), Gaussian::point_mass(y)}));
    agreement.message(send(kZ, Rule::direct, {{}, gaussian(x), Gaussian::point_mass(y)}).message,
                      {x.mean * y, x.variance * y * y},
                      text({gaussian(x)}) + " [limit: known_factor]");
  }
}

// The limit is approached: a y of variance epsilon is as good as known.
TEST(Product, NearlyKnownFactorIsNearlyExact) {
  const Gaussian z = Gaussian::from_moments(3, 2), x = Gaussian::from_moments(1, 1);
  const Gaussian y = Gaussian::from_moments(-2, 1e-12);
  constexpr double kNearly = 1e-10;  // a few times var_y, times mean_z^2/var_z
  for (const Rule rule : {Rule::direct, Rule::conditioned})
    EXPECT_TRUE(equal_within(back(kX, rule, z, x, y).message, Gaussian::from_moments(-1.5, 0.5),
                             {kNearly}));
}

TEST(Product, ZeroFactorSaysNothing) {
  const Gaussian z = Gaussian::from_moments(3, 2), x = Gaussian::from_moments(1, 1);
  for (const Gaussian& y : {Gaussian::from_moments(0, 1), Gaussian::point_mass(0), Gaussian()})
    for (const Rule rule : {Rule::direct, Rule::conditioned}) {
      const Reply reply = back(kX, rule, z, x, y);
      EXPECT_TRUE(reply.message.is_uniform()) << y;
      EXPECT_EQ(reply.event, Event::none) << y << " [limit: zero_factor]";
    }
}

TEST(Product, KnownOthersGiveAPointMass) {
  const Gaussian z = Gaussian::point_mass(6), y = Gaussian::point_mass(-2);
  for (const Rule rule : {Rule::direct, Rule::conditioned})
    for (const Gaussian& x : corner_messages())
      EXPECT_EQ(back(kX, rule, z, x, y).message, Gaussian::point_mass(-3)) << x;
  EXPECT_EQ(send(kZ, Rule::direct, {{}, z, y}).message, Gaussian::point_mass(-12))
      << "[limit: known_all]";
}

TEST(Product, ContradictionIsCounted) {
  const Reply reply = back(kX, Rule::conditioned, Gaussian::point_mass(1), Gaussian::point_mass(1),
                           Gaussian::point_mass(0));
  EXPECT_EQ(reply.event, Event::contradicted);
  EXPECT_EQ(reply.log_scale, -kInfinity);
}

TEST(Product, NothingComesBackFromNothing) {
  const Gaussian y = Gaussian::from_moments(3, 2), x = Gaussian::from_moments(1, 1);
  for (const Rule rule : {Rule::direct, Rule::conditioned}) {
    const Reply reply = back(kX, rule, Gaussian::uniform(), x, y);
    EXPECT_TRUE(reply.message.is_uniform());
    EXPECT_EQ(reply.event, Event::none);
  }
}

// A known zero wins over an unknown factor: 0 times anything is 0.
TEST(Product, ZeroTimesUnknownIsZero) {
  EXPECT_EQ(send(kZ, Rule::direct, {{}, Gaussian::point_mass(0), Gaussian()}).message,
            Gaussian::point_mass(0));
  EXPECT_TRUE(send(kZ, Rule::direct, {{}, Gaussian::point_mass(1), {}}).message.is_uniform());
  EXPECT_TRUE(send(kZ, Rule::direct, {{}, Gaussian::from_moments(0, 1), {}}).message.is_uniform());
}

TEST(Product, IsSymmetricInItsInputs) {
  RandomStream random(kSeed, 5);
  for (int i = 0; i < 300; ++i) {
    const Gaussian z = any_state(random), a = any_state(random), b = any_state(random);
    for (const Rule rule : {Rule::direct, Rule::conditioned})
      EXPECT_EQ(send(kX, rule, {z, a, b}).message, send(kY, rule, {z, b, a}).message);
    EXPECT_TRUE(equal_within(send(kZ, Rule::direct, {{}, a, b}).message,
                             send(kZ, Rule::direct, {{}, b, a}).message, {kRounding}))
        << text({a, b});
  }
}

// x and z times a power of two scale the message to x, and a sign moves through.
TEST(Product, ScalesAndFlips) {
  RandomStream random(kSeed, 6);
  constexpr double kScale = 8;
  const auto scaled = [](const Moments& m, double c) {
    return Gaussian::from_moments(c * m.mean, c * c * m.variance);
  };
  for (int i = 0; i < 100; ++i) {
    const Moments z = wide_moments(random), x = wide_moments(random), y = wide_moments(random);
    for (const Rule rule : {Rule::direct, Rule::conditioned})
      for (const double c : {kScale, -1.0}) {
        const Gaussian plain = back(kX, rule, gaussian(z), gaussian(x), gaussian(y)).message;
        const Gaussian with = back(kX, rule, scaled(z, c), scaled(x, c), gaussian(y)).message;
        EXPECT_TRUE(equal_within(with, scaled(moments_of(plain), c), {kRounding}));
        const Gaussian other = back(kX, rule, scaled(z, c), gaussian(x), scaled(y, c)).message;
        EXPECT_TRUE(equal_within(other, plain, {kRounding}));
      }
  }
}

}  // namespace
}  // namespace postrider::graph
