#include "certify/exact_message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

// Quadrature in one or two dimensions, every panel refined to 1e-14 of the mass.
constexpr double kQuadrature = 1e-12;

const std::vector<double> kPlaces{-4, -1, -0.2, 0, 0.3, 1.5, 5};

double log_normal(double x, double mean, double variance) {
  return -0.5 * ((x - mean) * (x - mean) / variance + std::log(2 * M_PI * variance));
}
double density(double u) { return std::exp(log_normal(u, 0, 1)); }
double cdf(double u) { return 0.5 * std::erfc(-u * M_SQRT1_2); }

// The message to `edge`, as a function, against a closed form.
void expect_log_values(const Factor& factor, std::size_t edge, const std::vector<Gaussian>& in,
                       const std::function<double(double)>& expected) {
  const ExactMessage message(factor, edge, in);
  for (const double x : kPlaces) {
    const double value = expected(x);
    EXPECT_NEAR(message.log_value(x), value, kQuadrature * std::max(1.0, std::abs(value)))
        << factor.info().name << " to " << factor.info().edges[edge].name << " at " << x;
  }
}

void expect_moments(const Tabulated& found, double log_mass, double mean, double variance) {
  EXPECT_NEAR(found.log_mass(), log_mass, kQuadrature * std::max(1.0, std::abs(log_mass)));
  EXPECT_NEAR(found.mean(), mean, kQuadrature * std::max(std::abs(mean), std::sqrt(variance)));
  EXPECT_NEAR(found.variance(), variance, kQuadrature * variance);
}

void expect_output(const Factor& factor, const std::vector<Gaussian>& in, double mean,
                   double variance) {
  const OutputMoments found = output_moments(factor, in);
  EXPECT_NEAR(found.mean, mean, kQuadrature * std::max(std::abs(mean), std::sqrt(variance)));
  EXPECT_NEAR(found.variance, variance, kQuadrature * variance);
}

// A convolution: variances add.
TEST(ExactMessage, OfAGaussianLikelihoodIsAConvolution) {
  const auto factor = make_factor("gaussian_likelihood", {{"variance", {0.7}}});
  const std::vector<Gaussian> in{Gaussian::from_moments(1.2, 0.5), Gaussian::from_moments(-0.4, 2)};
  expect_log_values(*factor, 0, in, [](double y) { return log_normal(y, -0.4, 2.7); });
  expect_log_values(*factor, 1, in, [](double x) { return log_normal(x, 1.2, 1.2); });
  const ExactMessage to_x(*factor, 1, in);
  expect_moments(to_x.density(Gaussian::from_moments(1, 1)), 0, 1.2, 1.2);
  // N(x; 1.2, 1.2) N(x; -0.4, 2) = N(1.2; -0.4, 3.2) N(x; 0.6, 0.75).
  expect_moments(to_x.marginal(), log_normal(1.2, -0.4, 3.2), 0.6, 0.75);
}

// z = 2 x1 - x2: N(2 x; mean_z + mean_2, var_z + var_2), a message of mass 1/2.
TEST(ExactMessage, OfALinearFactorIsADeconvolution) {
  const auto factor = make_factor("linear", {{"weights", {2, -1}}});
  const std::vector<Gaussian> in{Gaussian::from_moments(0.3, 0.2), Gaussian::from_moments(1, 1.5),
                                 Gaussian::from_moments(-0.7, 0.6)};
  expect_log_values(*factor, 1, in, [](double x) { return log_normal(2 * x, -0.4, 0.8); });
  expect_log_values(*factor, 2, in, [](double x) { return log_normal(x, 1.7, 6.2); });
  expect_output(*factor, in, 2.7, 6.6);
}

// x given, z - x y is Gaussian; x has no density of its own, but every value is known.
TEST(ExactMessage, OfAProductIsAGaussianInTheOutput) {
  const auto factor = make_factor("product");
  const std::vector<Gaussian> in{Gaussian::from_moments(0.8, 0.3), Gaussian::from_moments(-1, 2),
                                 Gaussian::from_moments(1.3, 0.4)};
  expect_log_values(*factor, 1, in,
                    [](double x) { return log_normal(0.8, 1.3 * x, 0.3 + 0.4 * x * x); });
  expect_log_values(*factor, 2, in, [](double y) { return log_normal(0.8, -y, 0.3 + 2 * y * y); });
  // Independent x, y: var(x y) = var_x var_y + var_x mean_y^2 + var_y mean_x^2.
  expect_output(*factor, in, -1.3, 2 * 0.4 + 2 * 1.69 + 0.4);
}

// Phi(-x/1.5) times N(m, v): Z = Phi(u), u = -m/sqrt(1.5^2 + v).
TEST(ExactMessage, OfAProbitIsTheDensityItself) {
  const auto factor = make_factor("probit", {{"sign", {-1}}, {"scale", {1.5}}});
  const double m = 0.9, v = 2.5, total = 2.25 + v;
  const std::vector<Gaussian> in{Gaussian::from_moments(m, v)};
  expect_log_values(*factor, 0, in, [](double x) { return std::log(cdf(-x / 1.5)); });
  const double u = -m / std::sqrt(total), hazard = density(u) / cdf(u);
  expect_moments(ExactMessage(*factor, 0, in).marginal(), std::log(cdf(u)),
                 m - v / std::sqrt(total) * hazard, v - v * v / total * hazard * (hazard + u));
}

// N(relu(x); 3, 1/2) at slope a: a Gaussian cut at 0 on the right, and on the left one that is 1/a
// times as wide: 1e-5 of the mass, some 1e2 deviations out, and most of the variance.
//   side +: mass p = Phi(v), mean 3 + s phi/p; side -: mass q/a, x = y/a, mean (3 - s phi/q)/a.
TEST(ExactMessage, KeepsAThinTailFarOut) {
  const double a = 0.01, s = std::sqrt(0.5), v = 3 / s;
  const double p = cdf(v), q = cdf(-v), phi = density(v);
  const double mass = p + q / a;
  const double first = (3 * p + s * phi) + (3 * q - s * phi) / (a * a);
  const double second = (9.5 * p + 3 * s * phi) + (9.5 * q - 3 * s * phi) / (a * a * a);
  const double mean = first / mass, variance = second / mass - mean * mean;
  const auto factor = make_factor("leaky_relu", {{"slope", {a}}});
  const std::vector<Gaussian> in{Gaussian::from_moments(3, 0.5), Gaussian::from_moments(0, 1)};
  const Tabulated found = ExactMessage(*factor, 1, in).density(Gaussian::from_moments(3, 0.5));
  // Nodes are chosen for the mass; the tail has a small share of it.
  constexpr double kTail = 1e-9;
  EXPECT_NEAR(found.log_mass(), std::log(mass), kTail);
  EXPECT_NEAR(found.mean(), mean, kTail * mean);
  EXPECT_NEAR(found.variance(), variance, kTail * variance);
}

TEST(ExactMessage, OfGreaterThanIsAStepSmeared) {
  const auto factor = make_factor("greater_than", {{"margin", {0.5}}});
  const std::vector<Gaussian> in{Gaussian::from_moments(0.2, 1.7),
                                 Gaussian::from_moments(-0.6, 0.9)};
  const double sx = std::sqrt(1.7), sy = std::sqrt(0.9);
  expect_log_values(*factor, 0, in, [&](double x) { return std::log(cdf((x + 0.6 - 0.5) / sy)); });
  expect_log_values(*factor, 1, in, [&](double y) { return std::log(cdf((0.2 - y - 0.5) / sx)); });
  // P(x - y > 0.5).
  const double log_mass = std::log(cdf((0.2 + 0.6 - 0.5) / std::sqrt(2.6)));
  EXPECT_NEAR(ExactMessage(*factor, 0, in).marginal().log_mass(), log_mass, kQuadrature);
}

// Either x is the larger and meets the message from z, or y is:
//   N(x; z) P(y < x) + N(mean_y; mean_z, var_y + var_z) P(w > x), w ~ the product of y's and z's.
TEST(ExactMessage, OfAMaximumHasTwoAlternatives) {
  const auto factor = make_factor("maximum");
  const std::vector<Gaussian> in{Gaussian::from_moments(0.7, 0.5), Gaussian::from_moments(0.1, 1.1),
                                 Gaussian::from_moments(-0.3, 2)};
  const double w_mean = (0.7 / 0.5 - 0.3 / 2) / (1 / 0.5 + 1 / 2.0), w_variance = 1 / 2.5;
  expect_log_values(*factor, 1, in, [&](double x) {
    return std::log(std::exp(log_normal(x, 0.7, 0.5)) * cdf((x + 0.3) / std::sqrt(2)) +
                    std::exp(log_normal(-0.3, 0.7, 2.5)) *
                        cdf((w_mean - x) / std::sqrt(w_variance)));
  });
}

// Clark 1961: with theta^2 = var_x + var_y and alpha = (mean_x - mean_y)/theta,
//   E[z]   = mean_x Phi(alpha) + mean_y Phi(-alpha) + theta phi(alpha),
//   E[z^2] = (mean_x^2 + var_x) Phi(alpha) + (mean_y^2 + var_y) Phi(-alpha)
//            + (mean_x + mean_y) theta phi(alpha).
TEST(OutputMoments, OfAMaximumAreClarks) {
  const auto factor = make_factor("maximum");
  const double mx = 0.4, vx = 1.3, my = 1.1, vy = 0.2;
  const double theta = std::sqrt(vx + vy), alpha = (mx - my) / theta;
  const double mean = mx * cdf(alpha) + my * cdf(-alpha) + theta * density(alpha);
  const double second = (mx * mx + vx) * cdf(alpha) + (my * my + vy) * cdf(-alpha) +
                        (mx + my) * theta * density(alpha);
  expect_output(*factor, {{}, Gaussian::from_moments(mx, vx), Gaussian::from_moments(my, vy)}, mean,
                second - mean * mean);
}

// max(x, 0) of a standard normal: mean 1/sqrt(2 pi), second moment 1/2.
TEST(OutputMoments, SeeAKink) {
  const auto factor = make_factor("leaky_relu", {{"slope", {0}}});
  expect_output(*factor, {{}, Gaussian::from_moments(0, 1)}, 1 / std::sqrt(2 * M_PI),
                0.5 - 1 / (2 * M_PI));
}

TEST(ExactMessageDeathTest, TheOutputOfARelationHasNoDensity) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto factor = make_factor("product");
  const std::vector<Gaussian> in(3, Gaussian::from_moments(0, 1));
  EXPECT_DEATH(ExactMessage(*factor, 0, in), "an edge whose message has a density");
}

}  // namespace
}  // namespace postrider::graph
