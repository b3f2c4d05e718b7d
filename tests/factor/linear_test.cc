#include "factor/cases.h"
#include "factor/real.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kZ = 0;
constexpr std::size_t kMostInputs = 8;

std::unique_ptr<Factor> linear(std::vector<double> weights) {
  return make_factor("linear", {{"weights", std::move(weights)}});
}

Gaussian send(const Factor& factor, std::size_t edge, const std::vector<Gaussian>& incoming) {
  const Reply reply = factor.send(edge, Rule::exact, incoming);
  expect_valid(reply, text(incoming));
  return reply.message;
}

struct Case {
  std::vector<double> weights;
  std::vector<Gaussian> incoming;  // z first
};

Case random_case(RandomStream& random, std::size_t inputs) {
  Case out;
  out.incoming.push_back(gaussian(wide_moments(random)));
  for (std::size_t i = 0; i < inputs; ++i) {
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    out.weights.push_back(sign * random.log_uniform(1e-2, 1e2));
    out.incoming.push_back(gaussian(wide_moments(random)));
  }
  return out;
}

// Solves a x = b by elimination; fifty digits need no pivots for a positive definite matrix.
std::vector<Real> solve(std::vector<std::vector<Real>> a, std::vector<Real> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real ratio = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= ratio * a[k][j];
      b[i] -= ratio * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// The posterior of all inputs as one joint Gaussian, observed through z: precision
// diag(rho_i) + w w' rho_z. The belief of x_j, incoming times message, is its j-th marginal.
TEST(Linear, BackwardIsTheMarginalOfTheJointGaussian) {
  Agreement agreement("linear to x_j", kExact);
  RandomStream random(kSeed, 0);
  for (std::size_t n = 1; n <= kMostInputs; ++n)
    for (int repeat = 0; repeat < 10; ++repeat) {
      const Case c = random_case(random, n);
      std::vector<std::vector<Real>> precision(n, std::vector<Real>(n));
      std::vector<Real> tau(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j)
          precision[i][j] = Real(c.weights[i]) * c.weights[j] * c.incoming[kZ].rho();
        precision[i][i] += c.incoming[i + 1].rho();
        tau[i] = Real(c.weights[i]) * c.incoming[kZ].tau() + c.incoming[i + 1].tau();
      }
      const std::vector<Real> mean = solve(precision, tau);
      for (std::size_t j = 0; j < n; ++j) {
        std::vector<Real> unit(n);
        unit[j] = 1;
        const Moments marginal{static_cast<double>(mean[j]),
                               static_cast<double>(solve(precision, unit)[j])};
        const Gaussian message = send(*linear(c.weights), j + 1, c.incoming);
        agreement.message(c.incoming[j + 1] * message, marginal, text(c.incoming));
      }
    }
}

TEST(Linear, ForwardIsTheSumOfIndependentGaussians) {
  Agreement agreement("linear to z", kRounding);
  RandomStream random(kSeed, 1);
  for (std::size_t n = 1; n <= kMostInputs; ++n)
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Case c = random_case(random, n);
      Real mean = 0, variance = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Real input = Real(c.incoming[i + 1].tau()) / c.incoming[i + 1].rho();
        mean += c.weights[i] * input;
        size += abs(c.weights[i] * input);
        variance += Real(c.weights[i]) * c.weights[i] / c.incoming[i + 1].rho();
      }
      // A sum of doubles is as exact as its largest terms.
      if (abs(mean) < size / 100) continue;
      agreement.message(send(*linear(c.weights), kZ, c.incoming),
                        {static_cast<double>(mean), static_cast<double>(variance)},
                        text(c.incoming));
    }
}

// At a point x_1 the message is the integral over the other input of the message from z.
TEST(Linear, MassIsThatOfTheIntegral) {
  Agreement agreement("linear, log scale", kExact);
  RandomStream random(kSeed, 2);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> weights{random.uniform(0.5, 3), random.uniform(-3, -0.5)};
    const Moments z = moderate_moments(random), other = moderate_moments(random);
    const std::vector<Gaussian> incoming{gaussian(z), Gaussian::uniform(), gaussian(other)};
    const auto factor = linear(weights);
    const Reply reply = factor->send(1, Rule::exact, incoming);
    const double at = reply.message.mean() + reply.message.std();
    const Moments integral = by_quadrature(
        [&](double t) {
          return log_density(factor->evaluate(std::vector{at, t}), z) + log_density(t, other);
        },
        other);
    agreement.message(reply.message, moments_of(reply.message), text(incoming));
    agreement.log_mass(*reply.log_scale + reply.message.log_density(at), integral.log_mass,
                       text(incoming));
    EXPECT_EQ(factor->send(kZ, Rule::exact, incoming).log_scale, -std::log(weights[0]))
        << "one unknown input leaves 1/|weight|";
  }
}

TEST(Linear, MassIsInfiniteWithTwoUnknowns) {
  const auto factor = linear({1, 2, 3});
  const std::vector<Gaussian> incoming(4);
  EXPECT_EQ(factor->send(kZ, Rule::exact, incoming).log_scale, kInfinity);
  EXPECT_EQ(factor->send(1, Rule::exact, incoming).log_scale, kInfinity);
}

TEST(Linear, ZeroWeightTakesItsInputOut) {
  const auto factor = linear({0, 2});
  const Gaussian z = Gaussian::from_moments(3, 1), x2 = Gaussian::from_moments(1, 0.25);
  const Reply silent = factor->send(1, Rule::exact, std::vector{z, Gaussian(), x2});
  EXPECT_TRUE(silent.message.is_uniform());
  EXPECT_EQ(silent.event, Event::none);
  EXPECT_NEAR(silent.log_scale.value(), log_density(3, 2, 1 + 4 * 0.25), kRounding);
  for (const Gaussian& ignored : corner_messages()) {
    EXPECT_EQ(send(*factor, kZ, {z, ignored, x2}), Gaussian::from_moments(2, 1)) << ignored;
    EXPECT_EQ(send(*factor, 2, {z, ignored, x2}), Gaussian::from_moments(1.5, 0.25))
        << ignored << " [limit: zero_weight]";
  }
}

TEST(Linear, ZeroWeightWithAContradictionIsCounted) {
  const std::vector<Gaussian> incoming{Gaussian::point_mass(1), Gaussian()};
  const Reply reply = linear({0})->send(1, Rule::exact, incoming);
  EXPECT_EQ(reply.event, Event::contradicted);
  EXPECT_EQ(reply.log_scale, -kInfinity);
}

TEST(Linear, KnownOthersGiveAPointMass) {
  const auto factor = linear({2, -1});
  const auto point = [](double x) { return Gaussian::point_mass(x); };
  EXPECT_EQ(send(*factor, kZ, {Gaussian(), point(3), point(4)}), point(2));
  EXPECT_EQ(send(*factor, 1, {point(2), Gaussian(), point(4)}), point(3));
  EXPECT_EQ(send(*factor, 2, {point(2), point(3), Gaussian()}), point(4)) << "[limit: known]";
}

TEST(Linear, OneUnknownInputLeavesTheOthersUniform) {
  const auto factor = linear({2, -1, 1});
  const Gaussian some = Gaussian::from_moments(1, 2);
  EXPECT_TRUE(send(*factor, kZ, {some, some, Gaussian(), some}).is_uniform());
  EXPECT_TRUE(send(*factor, 1, {some, some, Gaussian(), some}).is_uniform());
  EXPECT_TRUE(send(*factor, 1, {Gaussian(), some, some, some}).is_uniform())
      << "[limit: uniform_input]";
}

TEST(Linear, InputsMayBeSwapped) {
  RandomStream random(kSeed, 3);
  for (int i = 0; i < 100; ++i) {
    const Gaussian z = any_state(random), a = any_state(random), b = any_state(random);
    EXPECT_EQ(send(*linear({1, 2}), 1, {z, a, b}), send(*linear({2, 1}), 2, {z, b, a}));
  }
}

TEST(Linear, RefusesNoWeightsAndInfiniteOnes) {
  EXPECT_THROW(linear({}), InvalidArgument);
  EXPECT_THROW(linear({1, kInfinity}), InvalidArgument);
  EXPECT_THROW(linear({std::nan("")}), InvalidArgument);
}

}  // namespace
}  // namespace postrider::graph
