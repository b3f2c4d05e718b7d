// Factors by their log-density: those of the user's, and the likelihoods that have names.
#include <gtest/gtest.h>

#include <cmath>

#include "complaint.h"
#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

Reply send(const Factor& factor, std::size_t edge, const std::vector<Gaussian>& incoming) {
  const Reply reply = factor.send(edge, Rule::conditioned, incoming);
  expect_valid(reply, text(incoming));
  return reply;
}

// Moments of the first of two under N(first) N(second) f, by the trapezoidal rule in both.
Moments first_of_two(const Moments& first, const Moments& second,
                     const std::function<double(double, double)>& log_f) {
  const auto inner = [&](double x) {
    return trapezoidal([&](double y) { return std::exp(log_f(x, y)); }, second);
  };
  const double mass = trapezoidal(inner, first);
  const double mean = trapezoidal([&](double x) { return x * inner(x); }, first) / mass;
  const double variance =
      trapezoidal([&](double x) { return (x - mean) * (x - mean) * inner(x); }, first) / mass;
  return {mean, variance, std::log(mass)};
}

struct Named {
  const char* name;
  std::vector<Parameter> parameters;
  std::function<double(double)> density;  // as books have it
};

double phi(double u) { return 0.5 * std::erfc(-u * M_SQRT1_2); }
double logistic(double z) { return 1 / (1 + std::exp(-z)); }

std::vector<Named> named_likelihoods() {
  return {
      {"bernoulli_logit", {{"y", {1}}}, logistic},
      {"binomial_logit",
       {{"y", {3}}, {"trials", {5}}},
       [](double z) { return 10 * std::pow(logistic(z), 3) * std::pow(1 - logistic(z), 2); }},
      {"poisson", {{"y", {4}}}, [](double z) { return std::exp(4 * z - std::exp(z)) / 24; }},
      // Failures and successes: C(y + r - 1, y) (1 - p)^r p^y at p = mean/(r + mean).
      {"negative_binomial",
       {{"y", {2}}, {"dispersion", {3}}},
       [](double z) {
         const double p = std::exp(z) / (3 + std::exp(z));
         return 6 * std::pow(1 - p, 3) * p * p;
       }},
      // Two degrees of freedom: 1/(2 sqrt(2)) (1 + t^2/2)^(-3/2), over the scale.
      {"student_t",
       {{"y", {0.7}}, {"scale", {0.5}}, {"degrees_of_freedom", {2}}},
       [](double z) {
         const double t = (0.7 - z) / 0.5;
         return std::pow(1 + t * t / 2, -1.5) / (2 * M_SQRT2) / 0.5;
       }},
      {"ordinal_probit",
       {{"y", {1}}, {"cuts", {-1, 0.5}}},
       [](double z) { return phi(0.5 - z) - phi(-1 - z); }},
      {"ordinal_logit",
       {{"y", {2}}, {"cuts", {-1, 0.5}}},
       [](double z) { return 1 - logistic(0.5 - z); }},
      {"log_variance",
       {{"y", {0.4}}},
       [](double z) {
         return std::exp(-0.5 * 0.16 * std::exp(-z)) / std::sqrt(2 * M_PI * std::exp(z));
       }},
  };
}

TEST(Density, LikelihoodsByNameHaveTiltedMoments) {
  constexpr double kTilted = 1e-7;
  for (const Named& of : named_likelihoods()) {
    SCOPED_TRACE(of.name);
    Agreement agreement(of.name, kTilted);
    RandomStream random(kSeed, 0);
    const auto factor = make_factor(of.name, of.parameters);
    for (int i = 0; i < 30; ++i) {
      const Moments front{random.normal(), random.log_uniform(0.01, 2)};
      const double mass = trapezoidal(of.density, front);
      const double mean = trapezoidal([&](double z) { return z * of.density(z); }, front) / mass;
      const double variance =
          trapezoidal([&](double z) { return (z - mean) * (z - mean) * of.density(z); }, front) /
          mass;
      const Reply reply = send(*factor, 0, {gaussian(front)});
      if (reply.event == Event::held) {
        // Wider than what came in: the mean is kept all the same.
        EXPECT_GT(variance, front.variance);
        EXPECT_NEAR((gaussian(front) * reply.message).mean(), mean, kTilted);
        continue;
      }
      expect_tilted(agreement, reply, front, {mean, variance, std::log(mass)},
                    text({gaussian(front)}));
    }
  }
}

TEST(Density, AnOutlierOfStudentKeepsTheTiltedMean) {
  constexpr double kTilted = 1e-7;
  const auto factor =
      make_factor("student_t", {{"y", {6}}, {"scale", {1}}, {"degrees_of_freedom", {2}}});
  const Moments front{0, 1};
  const auto density = [](double z) { return std::pow(1 + (6 - z) * (6 - z) / 2, -1.5); };
  const double mass = trapezoidal(density, front);
  const double mean = trapezoidal([&](double z) { return z * density(z); }, front) / mass;
  const Reply reply = send(*factor, 0, {gaussian(front)});
  EXPECT_EQ(reply.event, Event::held);
  EXPECT_GT(reply.message.rho(), 0);
  EXPECT_NEAR((gaussian(front) * reply.message).mean(), mean, kTilted);
  EXPECT_GT(mean, 0.3);
}

TEST(Density, TwoEdgesHearOfEachOther) {
  constexpr double kTilted = 1e-6;
  Agreement agreement("normal_log_variance", kTilted);
  RandomStream random(kSeed, 1);
  const auto factor = make_factor("normal_log_variance", {{"y", {0.8}}});
  const auto log_f = [](double u, double v) {
    return -0.5 * (std::log(2 * M_PI) + u + (0.8 - v) * (0.8 - v) * std::exp(-u));
  };
  for (int i = 0; i < 10; ++i) {
    const Moments u{0.5 * random.normal(), random.log_uniform(0.05, 1)};
    const Moments v{random.normal(), random.log_uniform(0.05, 1)};
    const std::vector<Gaussian> incoming{gaussian(u), gaussian(v)};
    const Moments of_u = first_of_two(u, v, log_f);
    const Moments of_v = first_of_two(v, u, [&](double b, double a) { return log_f(a, b); });
    for (const bool first : {true, false}) {
      const Moments& front = first ? u : v;
      const Moments& tilted = first ? of_u : of_v;
      const Reply reply = send(*factor, first ? 0 : 1, incoming);
      if (reply.event == Event::held)
        EXPECT_GT(tilted.variance, front.variance * (1 - kTilted));
      else
        expect_tilted(agreement, reply, front, tilted, text(incoming));
    }
  }
}

// N(y; x, 4): the messages of gaussian_likelihood.
std::unique_ptr<Factor> gaussian_of_two() {
  return make_density("seen", {"y", "x"}, [](std::span<const double> at, std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = log_density(at[2 * k], at[2 * k + 1], 4);
  });
}

// Up to the quadrature, which is over two edges here.
TEST(Density, GaussianIsExact) {
  constexpr double kByNodes = 2e-6;
  Agreement agreement("density gaussian", kByNodes);
  RandomStream random(kSeed, 2);
  const auto factor = gaussian_of_two();
  for (int i = 0; i < 20; ++i) {
    const Moments y = moderate_moments(random), x = moderate_moments(random);
    const std::vector<Gaussian> incoming{gaussian(y), gaussian(x)};
    const Gaussian to_x = Gaussian::from_moments(y.mean, y.variance + 4);
    agreement.message(gaussian(x) * send(*factor, 1, incoming).message,
                      moments_of(gaussian(x) * to_x), text(incoming) + "[limit: gaussian]");
  }
}

TEST(Density, AKnownEdgeLeavesTheFactorOfTheOthers) {
  constexpr double kByNodes = 1e-7;
  const auto factor = gaussian_of_two();
  const Gaussian x = Gaussian::from_moments(1, 3);
  const Reply reply = send(*factor, 1, {Gaussian::point_mass(-2), x});
  EXPECT_NEAR(reply.message.mean(), -2, kByNodes) << "[limit: known_edge]";
  EXPECT_NEAR(reply.message.variance(), 4, kByNodes) << "[limit: known_edge]";
  EXPECT_NEAR(*reply.log_scale, 0, kByNodes);
  // The known edge itself hears nothing but how probable it is: y ~ N(1, 3 + 4).
  const Reply to_known = send(*factor, 0, {Gaussian::point_mass(-2), x});
  EXPECT_TRUE(to_known.message.is_uniform());
  EXPECT_NEAR(*to_known.log_scale, log_density(-2, 1, 7), kByNodes);
}

TEST(Density, FlatSaysNothing) {
  const auto factor =
      make_density("flat", {"x"}, [](std::span<const double>, std::span<double> out) {
        std::fill(out.begin(), out.end(), -3.0);
      });
  constexpr double kNothing = 1e-7;
  const Gaussian x = Gaussian::from_moments(1, 3);
  const Reply reply = send(*factor, 0, {x});
  EXPECT_TRUE(equal_within(x * reply.message, x, {kNothing})) << "[limit: flat]";
}

TEST(Density, RowsTogetherAreThoseOfSingleCalls) {
  const auto factor = gaussian_of_two();
  RandomStream random(kSeed, 3);
  std::vector<Gaussian> incoming;
  constexpr std::size_t kRows = 40;
  for (std::size_t i = 0; i < 2 * kRows; ++i) incoming.push_back(any_state(random));
  std::vector<Gaussian> messages(kRows);
  std::vector<Event> events(kRows);
  factor->send_many(1, Rule::conditioned, incoming, {messages, events});
  for (std::size_t row = 0; row < kRows; ++row) {
    const Reply single = send(*factor, 1, {incoming[2 * row], incoming[2 * row + 1]});
    EXPECT_EQ(messages[row], single.message) << row;
    EXPECT_EQ(events[row], single.event) << row;
  }
}

TEST(Density, RefusesMistakes) {
  const LogDensityAtPoints flat = [](std::span<const double>, std::span<double>) {};
  EXPECT_EQ(complaint([&] { make_density("f", {"a"}, nullptr); }),
            "density.log_density: empty; must be a function of points");
  EXPECT_EQ(complaint([&] {
              make_density("f", {"a", "b", "c", "d"}, flat);
            }),
            "density.edges = 4: must be one, two or three");
  EXPECT_EQ(complaint([&] {
              make_density("f", {"a", "a"}, flat);
            }),
            "density.edges = \"a, a\": must be distinct");
  EXPECT_EQ(complaint([] {
              make_factor("poisson", {{"y", {-1}}});
            }),
            "poisson.y = -1: must be a whole number of at least 0");
  EXPECT_EQ(complaint([] {
              make_factor("student_t", {{"scale", {0}}});
            }),
            "student_t.scale = 0: must be above 0");
  EXPECT_EQ(complaint([] {
              make_factor("ordinal_probit", {{"cuts", {1, 0}}});
            }),
            "ordinal_probit.cuts = 0: must be finite and above the one before");
  EXPECT_EQ(complaint([] {
              make_factor("poisson", {{"rate", {1}}});
            }),
            "poisson: no parameter 'rate'; there are: y");
}

// --- y = g of several inputs ---------------------------------------------------------------------------

TEST(DeterministicOfSeveral, AffineIsExactBothWays) {
  constexpr double kByNodes = 1e-6;
  Agreement agreement("deterministic affine of two", kByNodes);
  RandomStream random(kSeed, 4);
  const auto factor = make_deterministic(
      "affine", [](std::span<const double> x) { return 1 + 2 * x[0] - x[1]; }, {"a", "b"});
  for (int i = 0; i < 20; ++i) {
    const Moments y = moderate_moments(random), a = moderate_moments(random),
                  b = moderate_moments(random);
    if (y.variance < 0.01 * (4 * a.variance + b.variance)) continue;
    const std::vector<Gaussian> incoming{gaussian(y), gaussian(a), gaussian(b)};
    agreement.message(factor->send(0, Rule::direct, incoming).message,
                      {1 + 2 * a.mean - b.mean, 4 * a.variance + b.variance}, text(incoming));
    const Gaussian to_a =
        Gaussian::from_moments((y.mean - 1 + b.mean) / 2, (y.variance + b.variance) / 4);
    agreement.message(gaussian(a) * send(*factor, 1, incoming).message,
                      moments_of(gaussian(a) * to_a), text(incoming) + "[limit: affine]");
  }
}

TEST(DeterministicOfSeveral, AProductHasTiltedMoments) {
  constexpr double kTilted = 1e-6;
  const auto factor = make_deterministic(
      "product", [](std::span<const double> x) { return x[0] * x[1]; }, {"a", "b"});
  const Moments y{1.5, 0.5}, a{1, 0.4}, b{0.7, 0.6};
  const Moments tilted =
      first_of_two(a, b, [&](double p, double q) { return log_density(p * q, y); });
  Agreement agreement("deterministic product", kTilted);
  expect_tilted(agreement, send(*factor, 1, {gaussian(y), gaussian(a), gaussian(b)}), a, tilted,
                "product");
  // E[ab] and Var[ab] of independent factors.
  agreement.message(
      factor->send(0, Rule::direct, std::vector{Gaussian(), gaussian(a), gaussian(b)}).message,
      {0.7, 0.4 * 0.6 + 0.4 * 0.49 + 0.6}, "product to y");
}

TEST(DeterministicOfSeveral, WithOthersKnownItIsAFunctionOfOne) {
  constexpr double kByNodes = 1e-6;
  const auto two = make_deterministic(
      "power", [](std::span<const double> x) { return std::tanh(x[0]) + x[1]; }, {"a", "b"});
  const auto one = make_deterministic("tanh", [](double x) { return std::tanh(x) + 0.3; });
  const Gaussian y = Gaussian::from_moments(0.6, 0.5), a = Gaussian::from_moments(0.4, 0.8);
  const Gaussian found = send(*two, 1, {y, a, Gaussian::point_mass(0.3)}).message;
  const Gaussian expected = send(*one, 1, {y, a}).message;
  EXPECT_TRUE(equal_within(a * found, a * expected, {kByNodes})) << "[limit: known_inputs]";
}

TEST(DeterministicOfSeveral, ASharpOutputIsLinearisedAndCounted) {
  const auto factor =
      make_deterministic("sum", [](std::span<const double> x) { return x[0] + x[1]; }, {"a", "b"});
  const Gaussian unit = Gaussian::from_moments(0, 1);
  const Reply reply = send(*factor, 1, {Gaussian::point_mass(3), unit, unit});
  EXPECT_EQ(reply.event, Event::linearised);
  EXPECT_NEAR(reply.message.mean(), 3, kExact);
  EXPECT_NEAR(reply.message.variance(), 1, kExact);
}

}  // namespace
}  // namespace postrider::graph
