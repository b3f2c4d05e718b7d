#include "postrider/graph/conjugate.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <vector>

#include "complaint.h"

namespace postrider::graph {
namespace {

constexpr double kRounding = 1e-12;

TEST(Conjugate, ProbabilitiesAreBetaAfterCounts) {
  const std::vector<double> prior{1, 1, 2, 5}, counts{40, 160, 0, 3};
  const DirichletBeliefs found = dirichlet_beliefs({2, prior, counts});
  const boost::math::beta_distribution<> first(41, 161), second(2, 8);
  EXPECT_NEAR(found.means[0], boost::math::mean(first), kRounding);
  EXPECT_NEAR(found.deviations[0], boost::math::standard_deviation(first), kRounding);
  EXPECT_NEAR(found.means[2], boost::math::mean(second), kRounding);
  EXPECT_NEAR(found.deviations[3], boost::math::standard_deviation(second), kRounding);
  boost::math::quadrature::tanh_sinh<double> integrator;
  const boost::math::beta_distribution<> prior_first(1, 1), prior_second(2, 5);
  const double one = integrator.integrate(
      [&](double p) {
        return boost::math::pdf(prior_first, p) * std::pow(p, 40) * std::pow(1 - p, 160);
      },
      0.0, 1.0);
  const double other = integrator.integrate(
      [&](double p) { return boost::math::pdf(prior_second, p) * std::pow(1 - p, 3); }, 0.0, 1.0);
  EXPECT_NEAR(found.log_evidence, std::log(one) + std::log(other), 1e-9);
}

TEST(Conjugate, OnePriorServesAllRows) {
  const std::vector<double> each{0.5, 1, 2, 0.5, 1, 2}, once{0.5, 1, 2}, counts{1, 2, 3, 4, 5, 6};
  const DirichletBeliefs by_row = dirichlet_beliefs({3, each, counts});
  const DirichletBeliefs shared = dirichlet_beliefs({3, once, counts});
  EXPECT_EQ(by_row.parameters, shared.parameters);
  EXPECT_EQ(by_row.log_evidence, shared.log_evidence);
  EXPECT_NEAR(shared.means[5], 8 / 18.5, kRounding);
}

TEST(Conjugate, RatesAreGammaAfterEvents) {
  const std::vector<double> shapes{2}, rates{1, 4}, events{7, 0}, exposures{3, 0.5};
  const GammaBeliefs found = gamma_beliefs({shapes, rates, events, exposures});
  const boost::math::gamma_distribution<> first(9, 1 / 4.0), second(2, 1 / 4.5);
  EXPECT_NEAR(found.means[0], boost::math::mean(first), kRounding);
  EXPECT_NEAR(found.deviations[0], boost::math::standard_deviation(first), kRounding);
  EXPECT_NEAR(found.means[1], boost::math::mean(second), kRounding);
  EXPECT_NEAR(found.deviations[1], boost::math::standard_deviation(second), kRounding);
  const double expected =
      (2 * std::log(1.0) - 9 * std::log(4.0) + std::lgamma(9) - std::lgamma(2)) +
      (2 * std::log(4.0) - 2 * std::log(4.5));
  EXPECT_NEAR(found.log_evidence, expected, 1e-10);
}

TEST(Conjugate, HostileCountsLeaveProperBeliefs) {
  const std::vector<double> prior{1e-300, 1e300, 1, 1}, counts{0, 0, 1e6, 1e12};
  const DirichletBeliefs found = dirichlet_beliefs({2, prior, counts});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(found.parameters[i] > 0 && std::isfinite(found.parameters[i]));
    EXPECT_TRUE(std::isfinite(found.means[i]) && std::isfinite(found.deviations[i]));
  }
  EXPECT_TRUE(std::isfinite(found.log_evidence));
}

TEST(Conjugate, MistakesAreNamed) {
  const std::vector<double> prior{1, 0}, good{1, 1}, counts{1, 2}, negative{1, -2}, three{1, 2, 3};
  EXPECT_EQ(complaint([&] {
              dirichlet_beliefs({2, prior, counts});
            }),
            "prior[1] = 0: must be a finite number above 0");
  EXPECT_EQ(complaint([&] {
              dirichlet_beliefs({2, good, negative});
            }),
            "counts[1] = -2: must be finite and at least 0");
  EXPECT_EQ(complaint([&] {
              dirichlet_beliefs({2, good, three});
            }),
            "counts = 3: must be 2 numbers for each row");
  EXPECT_EQ(complaint([&] {
              dirichlet_beliefs({1, good, counts});
            }),
            "width = 1: must be at least 2");
  EXPECT_EQ(complaint([&] {
              gamma_beliefs({three, good, counts, counts});
            }),
            "shapes = 3: must be 1 numbers for all rows, or 2");
  EXPECT_EQ(complaint([&] {
              gamma_beliefs({good, good, counts, three});
            }),
            "exposures = 3: must be as many as events, 2");
  EXPECT_EQ(complaint([&] {
              gamma_beliefs({good, prior, counts, counts});
            }),
            "rates[1] = 0: must be a finite number above 0");
}

}  // namespace
}  // namespace postrider::graph
