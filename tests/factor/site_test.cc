#include "factor/site.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace postrider::internal {
namespace {

TEST(Projection, KeepsTheMeanWhereThePrecisionIsHeld) {
  SiteMoments cavity, tilted;
  cavity.mean = {1, -1};
  cavity.covariance(0, 0) = 2, cavity.covariance(1, 1) = 1;
  cavity.covariance(0, 1) = cavity.covariance(1, 0) = 0.5;
  tilted.mean = {3, 0.5};
  tilted.covariance(0, 0) = 5, tilted.covariance(1, 1) = 0.4;  // wider, and narrower
  tilted.covariance(0, 1) = tilted.covariance(1, 0) = 0.1;
  const Projection found = project(cavity, tilted, 0, 2);
  ASSERT_TRUE(found.is_proper);
  EXPECT_TRUE(found.is_held);
  SmallMatrix sum = inverse(cholesky(cavity.covariance, 2), 2);
  SmallVector information = times(sum, cavity.mean, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    information[i] += found.message.tau[i];
    for (std::size_t j = 0; j < 2; ++j) sum(i, j) += found.message.precision(i, j);
  }
  const SmallVector mean = times(inverse(cholesky(sum, 2), 2), information, 2);
  EXPECT_NEAR(mean[0], 3, 1e-12);
  EXPECT_NEAR(mean[1], 0.5, 1e-12);
  const SmallMatrix& precision = found.message.precision;
  EXPECT_GE(precision(0, 0) * precision(1, 1) - precision(0, 1) * precision(1, 0), -1e-12);
}

TEST(Projection, DividesTheCavityOutAgain) {
  SiteMoments cavity, tilted;
  cavity.mean = {2};
  cavity.covariance(0, 0) = 4;
  tilted.mean = {3};
  tilted.covariance(0, 0) = 1;
  const Projection found = project(cavity, tilted, 0, 1);
  ASSERT_TRUE(found.is_proper);
  EXPECT_FALSE(found.is_held);
  // 1/1 - 1/4, and 3/1 - 2/4.
  EXPECT_DOUBLE_EQ(found.message.precision(0, 0), 0.75);
  EXPECT_DOUBLE_EQ(found.message.tau[0], 2.5);
}

TEST(Projection, HoldsThePrecisionOfOneEdge) {
  SiteMoments cavity, tilted;
  cavity.mean = {2};
  cavity.covariance(0, 0) = 4;
  tilted.mean = {3};
  tilted.covariance(0, 0) = 16;  // of precision 1/16 - 1/4 by itself
  for (const double least : {0.0, -0.5}) {
    const Projection found = project(cavity, tilted, least, 1);
    EXPECT_TRUE(found.is_held);
    const double precision = found.message.precision(0, 0);
    EXPECT_DOUBLE_EQ(precision, least / 4);
    EXPECT_DOUBLE_EQ((2.0 / 4 + found.message.tau[0]) / (1.0 / 4 + precision), 3);
  }
}

TEST(Projection, RefusesWhatIsNoDensity) {
  SiteMoments cavity, tilted;
  cavity.covariance(0, 0) = 1;
  EXPECT_FALSE(project(cavity, tilted, 0, 1).is_proper);
  tilted.covariance(0, 0) = 1;
  EXPECT_FALSE(project(SiteMoments{}, tilted, 0, 1).is_proper);
}

TEST(LogOverlap, IsTheIntegralOfCavityTimesMessage) {
  SiteMoments cavity;
  cavity.mean = {1, -0.5};
  cavity.covariance(0, 0) = 2, cavity.covariance(1, 1) = 1;
  SiteMessage message;
  message.tau = {0.4, 0.3};
  message.precision(0, 0) = 0.7, message.precision(1, 1) = 0.2;
  // Without correlation the integral is a product, each by a sum over a grid.
  double expected = 0;
  for (std::size_t e = 0; e < 2; ++e) {
    double sum = 0;
    constexpr double kStep = 1e-3;
    const double mean = cavity.mean[e], variance = cavity.covariance(e, e);
    for (double x = mean - 20; x < mean + 20; x += kStep)
      sum += kStep * std::exp(-0.5 * (x - mean) * (x - mean) / variance + message.tau[e] * x -
                              0.5 * message.precision(e, e) * x * x);
    expected += std::log(sum / std::sqrt(2 * std::numbers::pi * variance));
  }
  EXPECT_NEAR(log_overlap(cavity, message, 2), expected, 1e-9);
  double first = log_overlap(cavity, message, 1);
  message.tau[1] = message.precision(1, 1) = 0;
  EXPECT_NEAR(log_overlap(cavity, message, 2), first, 1e-12);
}

}  // namespace
}  // namespace postrider::internal
