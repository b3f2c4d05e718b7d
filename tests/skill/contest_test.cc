#include "skill/contest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "skill/matches.h"

namespace postrider::internal::games {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The trapezoidal rule on a fine grid of a smooth density.
constexpr double kQuadrature = 1e-9;
// Expectation propagation on a chain of three sides is not exact; these are its errors, in standard deviations.
constexpr double kChain = 0.02;

double between(const Gap& gap, double mean, double deviation) {
  return skill::between(gap.lower, gap.upper, mean, deviation * deviation);
}

struct Exact {
  double mass = 0, mean = 0, variance = 0;
};

// The posterior of one skill from its prior and the likelihood of the result given the skill, on a grid.
template <class Likelihood>
Exact posterior(double mean, double variance, Likelihood likelihood) {
  const double deviation = std::sqrt(variance), step = deviation / 40;
  double mass = 0, first = 0, second = 0;
  for (double x = mean - 12 * deviation; x < mean + 12 * deviation; x += step) {
    const double weight = skill::density(x, mean, variance) * likelihood(x) * step;
    mass += weight;
    first += weight * x;
    second += weight * x * x;
  }
  return {mass, first / mass, second / mass - first / mass * first / mass};
}

Message message(double mean, double variance) { return {mean / variance, 1 / variance}; }

void expect_belief(const Entrant& entrant, const Exact& exact, double tolerance) {
  const double rho = entrant.cavity.rho + entrant.likelihood.rho;
  const double mean = (entrant.cavity.tau + entrant.likelihood.tau) / rho;
  EXPECT_NEAR(mean, exact.mean, tolerance * std::sqrt(exact.variance));
  EXPECT_NEAR(1 / rho, exact.variance, 2 * tolerance * exact.variance);
}

const Gap kGaps[] = {{0.7, kInfinity}, {-kInfinity, -0.7}, {-0.7, 0.7}, {1.2, 1.9}, {-4, -3.5}};

// Two teams with shares and a handicap: the skill of the first entrant sees the others as noise.
TEST(Contest, TwoSidesAreExact) {
  for (const Gap& gap : kGaps) {
    std::vector<Entrant> entrants{{message(1, 4), 0.6, 1.5},
                                  {message(-0.5, 2), 1, 1.5},
                                  {message(0.3, 3), 1, 1.5},
                                  {message(0.2, 0.1), 1, 0}};
    std::vector<Side> sides{{0, 2, 0.4, {}}, {2, 2, 0, {}}};
    ContestScratch scratch;
    perform(entrants, sides);
    judge(entrants, sides, {&gap, 1}, scratch);
    const double noise = 0.36 * 1.5 + (2 + 1.5) + (3 + 1.5) + 0.1;
    const Exact first = posterior(1, 4, [&](double x) {
      return between(gap, 0.6 * x - 0.5 + 0.4 - 0.3 - 0.2, std::sqrt(noise));
    });
    expect_belief(entrants[0], first, kQuadrature);
    EXPECT_NEAR(log_evidence(sides, {&gap, 1}, scratch), std::log(first.mass), kQuadrature);
    const Exact third = posterior(0.3, 3, [&](double x) {
      return between(gap, 0.6 - 0.5 + 0.4 - x - 0.2, std::sqrt(0.36 * 5.5 + 3.5 + 1.5 + 0.1));
    });
    expect_belief(entrants[2], third, kQuadrature);
  }
}

TEST(Contest, WhoTookNoPartLearnsNothing) {
  const Gap gap{0.5, kInfinity};
  std::vector<Entrant> entrants{
      {message(0, 1), 1, 1}, {message(0, 1), 0, 1}, {message(0, 1), 1, 1}};
  std::vector<Side> sides{{0, 2, 0, {}}, {2, 1, 0, {}}};
  ContestScratch scratch;
  perform(entrants, sides);
  judge(entrants, sides, {&gap, 1}, scratch);
  EXPECT_EQ(entrants[1].likelihood.rho, 0);
  EXPECT_EQ(entrants[1].likelihood.tau, 0);
  EXPECT_GT(entrants[0].likelihood.rho, 0);
}

TEST(Contest, UnrankedSidesLearnNothing) {
  std::vector<Entrant> entrants(3, Entrant{message(0, 1), 1, 1});
  std::vector<Side> sides{{0, 1, 0, {}}, {1, 1, 0, {}}, {2, 1, 0, {}}};
  const Gap gap{0.5, kInfinity};
  ContestScratch scratch;
  perform(entrants, sides);
  judge(entrants, sides, {&gap, 1}, scratch);
  EXPECT_GT(entrants[1].likelihood.rho, 0);
  EXPECT_EQ(entrants[2].likelihood.rho, 0);
  judge(entrants, sides, {}, scratch);
  for (const Entrant& entrant : entrants) EXPECT_EQ(entrant.likelihood.rho, 0);
  EXPECT_EQ(log_evidence(sides, {}, scratch), 0);
}

// P(gap of a - b, gap of b - c) by integrating over b's performance.
double two_gaps(const Gap& upper, const Gap& lower, const Moments& a, const Moments& b,
                const Moments& c) {
  const double deviation = std::sqrt(b.variance), step = deviation / 25;
  double sum = 0;
  for (double x = b.mean - 9 * deviation; x < b.mean + 9 * deviation; x += step)
    sum += step * skill::density(x, b.mean, b.variance) *
           between(upper, a.mean - x, std::sqrt(a.variance)) *
           between({-lower.upper, -lower.lower}, c.mean - x, std::sqrt(c.variance));
  return sum;
}

TEST(Contest, ThreeSidesAreNearlyExact) {
  for (const Gap& second : {Gap{0.4, kInfinity}, Gap{-0.4, 0.4}}) {
    const std::vector<Gap> gaps{{0.4, kInfinity}, second};
    std::vector<Entrant> entrants{
        {message(0.5, 2), 1, 1}, {message(0, 1), 1, 1}, {message(1, 3), 1, 1}};
    std::vector<Side> sides{{0, 1, 0, {}}, {1, 1, 0, {}}, {2, 1, 0, {}}};
    ContestScratch scratch;
    perform(entrants, sides);
    judge(entrants, sides, gaps, scratch);
    const Exact best = posterior(0.5, 2, [&](double x) {
      return two_gaps(gaps[0], gaps[1], {x, 1}, {0, 2}, {1, 4});
    });
    expect_belief(entrants[0], best, kChain);
    const Exact middle = posterior(0, 1, [&](double x) {
      return two_gaps(gaps[0], gaps[1], {0.5, 3}, {x, 1}, {1, 4});
    });
    expect_belief(entrants[1], middle, kChain);
    EXPECT_NEAR(log_evidence(sides, gaps, scratch), std::log(best.mass), kChain);
  }
}

TEST(Contest, ChangeIsInUnitsOfTheBelief) {
  // From N(0, 1/3) to N(1, 1/4), the product with a precision of 1.
  EXPECT_NEAR(change({0, 2}, {4, 3}, {0, 1}), 4 / std::sqrt(4.0) - 1 * 1 / std::sqrt(4.0), 1e-12);
  EXPECT_EQ(change({3, kInfinity}, {3, kInfinity}, {0, 1}), 0);
}

}  // namespace
}  // namespace postrider::internal::games
