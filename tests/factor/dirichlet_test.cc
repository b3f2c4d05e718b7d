#include "factor/dirichlet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace postrider::internal {
namespace {

constexpr double kRounding = 1e-12;

std::vector<double> random_parameters(std::size_t size, std::mt19937_64& random) {
  std::vector<double> out(size);
  for (double& each : out) each = std::exp(std::normal_distribution(0.0, 2.0)(random));
  return out;
}

// Gamma(a + n)/Gamma(a) is the product of a, a + 1, ... for whole n.
TEST(Dirichlet, RisingFactorialsAreProducts) {
  for (const double a : {1e-3, 0.5, 3.0, 15.9, 16.0, 400.0, 1e6, 1e12})
    for (const int n : {0, 1, 2, 17, 300}) {
      long double sum = 0;
      for (int i = 0; i < n; ++i) sum += std::log(static_cast<long double>(a) + i);
      const auto expected = static_cast<double>(sum);
      EXPECT_NEAR(log_rising(a, n), expected, kRounding * (1 + std::abs(expected)))
          << a << " " << n;
    }
}

// The chance of a sequence is the product of what each symbol's share is after those before.
TEST(Dirichlet, SequencesAreWorthTheirSymbolsOneByOne) {
  const std::vector<double> a{0.3, 2.0, 5.0}, counts{2, 0, 3};
  std::vector<double> now = a;
  double expected = 0;
  for (const std::size_t symbol : {2, 0, 2, 2, 0}) {
    expected += std::log(now[symbol] / (now[0] + now[1] + now[2]));
    now[symbol] += 1;
  }
  EXPECT_NEAR(log_sequence_mass(a, counts), expected, kRounding);
}

TEST(Dirichlet, ChancesOfSymbolsAreBayesRule) {
  const std::vector<double> a{1, 3}, likelihoods{0.5, 0.1};
  std::vector<double> chances(2);
  EXPECT_NEAR(symbol_chances(a, likelihoods, chances), 0.25 * 0.5 + 0.75 * 0.1, kRounding);
  EXPECT_NEAR(chances[0], 0.125 / 0.2, kRounding);
  EXPECT_NEAR(chances[1], 0.075 / 0.2, kRounding);
  EXPECT_EQ(symbol_chances(a, std::vector<double>{0, 0}, chances), 0);
  EXPECT_EQ(chances[0], 0);
}

// Moments of the mixture from those of its parts: E[p_j] = a_j/s, E[p_j^2] = a_j (a_j + 1)/(s (s + 1)).
TEST(Dirichlet, TheProjectionKeepsMeansAndTheSumOfSecondMoments) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t size = 2 + static_cast<std::size_t>(trial) % 5;
    const std::vector<double> a = random_parameters(size, random);
    std::vector<double> chances = random_parameters(size, random), belief(size);
    double total = 0, sum = 0;
    for (const double each : chances) total += each;
    for (double& each : chances) each /= total;
    for (const double each : a) sum += each;
    std::vector<double> means(size, 0.0);
    double second = 0;
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) {
        const double b = a[j] + (j == k ? 1 : 0);
        means[j] += chances[k] * b / (sum + 1);
        second += chances[k] * b * (b + 1) / ((sum + 1) * (sum + 2));
      }
    project_symbol(a, chances, belief);
    double found_sum = 0, found_second = 0;
    for (const double each : belief) found_sum += each;
    for (std::size_t j = 0; j < size; ++j) {
      EXPECT_NEAR(belief[j] / found_sum, means[j], kRounding);
      found_second += belief[j] * (belief[j] + 1) / (found_sum * (found_sum + 1));
    }
    EXPECT_NEAR(found_second, second, 1e-10);
  }
}

TEST(Dirichlet, ASymbolThatWasSeenAddsOne) {
  const std::vector<double> a{0.2, 4, 1}, seen{0, 1, 0};
  std::vector<double> belief(3);
  project_symbol(a, seen, belief);
  EXPECT_NEAR(belief[0], 0.2, kRounding);
  EXPECT_NEAR(belief[1], 5, kRounding);
  EXPECT_NEAR(belief[2], 1, kRounding);
}

TEST(Dirichlet, ProjectionsOfExtremeBeliefsAreProper) {
  for (const double small : {1e-300, 1e-20, 1e-3, 1.0})
    for (const double large : {1e-3, 1.0, 1e6, 1e15, 1e100})
      for (const double chance : {0.0, 1e-300, 0.5, 1.0}) {
        std::vector<double> a{small, large, small}, belief(3);
        project_symbol(a, std::vector<double>{chance, 1 - chance, 0}, belief);
        for (const double each : belief) EXPECT_TRUE(each > 0 && std::isfinite(each)) << large;
      }
  std::vector<double> alone{2.0};
  project_symbol(alone, std::vector<double>{1.0}, alone);
  EXPECT_EQ(alone[0], 3);
}

TEST(Dirichlet, MomentsKeepTheirDigitsNearOne) {
  // Beta(1e18, 2): the variance is a b/((a + b)^2 (a + b + 1)), nearly b/a^2.
  std::vector<double> means(2), deviations(2);
  dirichlet_moments(std::vector<double>{1e18, 2}, means, deviations);
  EXPECT_NEAR(deviations[0], std::sqrt(2.0) * 1e-18, 1e-30);
  EXPECT_NEAR(deviations[1], std::sqrt(2.0) * 1e-18, 1e-30);
  EXPECT_NEAR(means[1], 2e-18, 1e-30);
}

}  // namespace
}  // namespace postrider::internal
