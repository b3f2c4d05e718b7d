#include "factor/choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.h"
#include "math/quadrature.h"

namespace postrider::graph {
using namespace internal;
namespace {

// Logarithms count absolutely up to 1 and relative to themselves above; g1 in units of 1/s likewise;
// g2 in units of 1/s^2. The logarithm of a rival's share is about t^2/2 and rounded accordingly.
constexpr double kQuadrature = 3e-9, kPerSquare = 1e-15;
constexpr double kRounding = 1e-12;
constexpr std::uint64_t kSeed = 7;
constexpr int kCases = 12;

struct Case {
  std::vector<double> mean, variance;
  double noise;
  std::size_t chosen;

  ChoiceScores scores() const { return {mean, variance, noise}; }
  double total(std::size_t k) const { return variance[k] + noise; }
};

struct Found {
  double log_z = 0;
  std::vector<double> g1, g2;
  std::size_t guarded = 0;
};

Found find(const Case& of, SimdLevel level = SimdLevel::best()) {
  ChoiceWork work(level);
  Found out{0, std::vector<double>(of.mean.size()), std::vector<double>(of.mean.size()), 0};
  out.log_z = choice_derivatives(of.scores(), of.chosen, {out.g1, out.g2}, work, out.guarded);
  return out;
}

// In long double; far on the left, where even that underflows, by the asymptotic series.
constexpr double kFarLeft = -100;
double series_rest(double t) {
  const double x = 1 / (t * t);
  return x * (1 - x * (3 - 15 * x));
}
double tail_series(double t) { return 1 - series_rest(t); }
double log_below(double t) {
  if (t < kFarLeft)
    return -0.5 * t * t - std::log(-t * std::sqrt(2 * M_PI)) + std::log(tail_series(t));
  return static_cast<double>(std::log(0.5L * std::erfc(-static_cast<long double>(t) / sqrtl(2))));
}
double hazard(double t) {
  if (t < kFarLeft) return -t / tail_series(t);
  return std::exp(-0.5 * t * t - 0.5 * std::log(2 * M_PI) - log_below(t));
}

// hazard (hazard + t)
double minus_slope(double t) {
  const double r = hazard(t);
  return r * (t < kFarLeft ? r * series_rest(t) : r + t);
}

// By adaptive quadrature, and the formulas as the derivatives of the integral give them.
Found reference(const Case& of) {
  const double m = of.mean[of.chosen], s2 = of.total(of.chosen);
  const auto t_of = [&](std::size_t k, double u) {
    return (u - of.mean[k]) / std::sqrt(of.total(k));
  };
  const LogDensity log_density = [&](double u) {
    double sum = -0.5 * ((u - m) * (u - m) / s2 + std::log(2 * M_PI * s2));
    for (std::size_t k = 0; k < of.mean.size(); ++k)
      if (k != of.chosen) sum += log_below(t_of(k, u));
    return sum;
  };
  // The integrand has one peak, between the class's mean and the largest.
  constexpr double kDeviations = 40;
  double widest = 0;
  for (std::size_t k = 0; k < of.mean.size(); ++k) widest = std::max(widest, of.total(k));
  const double top = *std::ranges::max_element(of.mean);
  const Tabulated density(log_density,
                          {m - kDeviations * std::sqrt(s2), top + kDeviations * std::sqrt(widest)});
  Found out{density.log_mass(), {}, {}, 0};
  for (std::size_t k = 0; k < of.mean.size(); ++k) {
    if (k == of.chosen) {
      out.g1.push_back((density.mean() - m) / s2);
      out.g2.push_back((1 - density.variance() / s2) / s2);
      continue;
    }
    const double r = density.expect([&](double u) { return hazard(t_of(k, u)); });
    const double w = density.expect([&](double u) { return minus_slope(t_of(k, u)); });
    const double spread = density.expect([&](double u) {
      const double gap = hazard(t_of(k, u)) - r;
      return gap * gap;
    });
    out.g1.push_back(-r / std::sqrt(of.total(k)));
    out.g2.push_back((w - spread) / of.total(k));
  }
  return out;
}

double difference(const Case& of, const Found& found, const Found& expected) {
  const auto apart = [](double a, double b) {
    return std::abs(a - b) / std::max(1.0, std::abs(b));
  };
  double worst = apart(found.log_z, expected.log_z);
  for (std::size_t k = 0; k < of.mean.size(); ++k) {
    const double s = std::sqrt(of.total(k));
    worst = std::max({worst, apart(found.g1[k] * s, expected.g1[k] * s),
                      std::abs(found.g2[k] - expected.g2[k]) * s * s});
  }
  return worst;
}

// Means spread over `spread` deviations, variances between 0 and `widest`.
Case random_case(RandomStream& random, std::size_t classes, double spread, double least_noise,
                 double widest) {
  Case out;
  out.noise = random.log_uniform(least_noise, 1);
  const double scale = random.log_uniform(out.noise, widest);
  for (std::size_t k = 0; k < classes; ++k) {
    const bool is_known = random.uniform() < 0.1;
    out.variance.push_back(is_known ? 0 : random.log_uniform(out.noise / 10, scale));
    out.mean.push_back(spread * std::sqrt(scale) * random.normal());
  }
  out.chosen = random.below(classes);
  return out;
}

double farthest(const Case& of) {
  double out = 0;
  for (std::size_t k = 0; k < of.mean.size(); ++k)
    out = std::max(out, (of.mean[k] - of.mean[of.chosen]) / std::sqrt(of.total(k)));
  return out;
}

void agree_with_quadrature(double least_noise, double widest) {
  RandomStream random(kSeed, 0);
  for (const std::size_t classes : {2, 3, 10, 26, 100}) {
    double worst = 0;
    for (int i = 0; i < kCases; ++i) {
      const Case of = random_case(random, classes, i % 4, least_noise, widest);
      const Found found = find(of);
      EXPECT_EQ(found.guarded, 0U);
      const double off = difference(of, found, reference(of));
      const double t = farthest(of);
      EXPECT_LT(off, kQuadrature + kPerSquare * t * t)
          << t << " deviations, " << classes << " classes, case " << i;
      worst = std::max(worst, off);
    }
    std::printf("%3zu classes, variances up to %g: worst error %.1e\n", classes, widest, worst);
  }
}

TEST(Choice, AgreesWithQuadrature) { agree_with_quadrature(0.1, 1e3); }
TEST(Choice, AgreesWithQuadratureWhereScalesAreFarApart) { agree_with_quadrature(1e-4, 1e4); }

TEST(Choice, OfTwoIsTheProbitOfTheirGap) {
  RandomStream random(kSeed, 1);
  for (int i = 0; i < 500; ++i) {
    Case of = random_case(random, 2, 1, 1e-2, 1e4);
    const std::size_t c = of.chosen, k = 1 - c;
    const double deviation = std::sqrt(of.total(c) + of.total(k));
    const double t = random.uniform(-40, 8);
    of.mean[c] = of.mean[k] + t * deviation;
    const double r = hazard(t), w = r * (r + t);
    Found expected{log_below(t), {0, 0}, {0, 0}, 0};
    expected.g1[c] = r / deviation;
    expected.g1[k] = -r / deviation;
    expected.g2[c] = expected.g2[k] = w / (deviation * deviation);
    EXPECT_LT(difference(of, find(of), expected), 10 * kQuadrature)
        << i << ": " << t << " [limit: two]";
  }
}

TEST(Choice, FarAway) {
  const std::vector<double> variance{1, 4, 0.5, 2};
  const Case certain{{0, 300, -5, 7}, variance, 0.25, 1};
  const Found nothing = find(certain);
  EXPECT_NEAR(nothing.log_z, 0, kRounding) << "[limit: certain]";
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(nothing.g1[k], 0, kRounding);
    EXPECT_NEAR(nothing.g2[k], 0, kRounding);
  }
  const Case surprised{{0, -300, -250, -270}, variance, 0.25, 1};
  const Found much = find(surprised);
  const double both = surprised.total(0) + surprised.total(1);
  constexpr double kClose = 1e-3;
  EXPECT_NEAR(much.g2[0] * both, 1, kClose);
  EXPECT_NEAR(much.g2[1] * both, 1, kClose);
  EXPECT_NEAR(much.g1[1] * both, 300, 300 * kClose);
  EXPECT_NEAR(much.g1[0], -much.g1[1], kRounding) << "[limit: surprised]";
}

TEST(Choice, DerivativesAreThoseOfTheProbability) {
  constexpr double kStep = 1e-3, kClose = 1e-6;
  RandomStream random(kSeed, 2);
  ChoiceWork work;
  for (int i = 0; i < 50; ++i) {
    const Case of = random_case(random, 5, 1, 0.3, 3);
    const Found found = find(of);
    for (std::size_t k = 0; k < 5; ++k) {
      const auto moved = [&](double by) {
        Case other = of;
        other.mean[k] += by;
        return choice_log_probability(other.scores(), of.chosen, work);
      };
      const double up = moved(kStep), here = moved(0), down = moved(-kStep);
      EXPECT_EQ(here, found.log_z);
      EXPECT_NEAR(found.g1[k], (up - down) / (2 * kStep), kClose * (1 + std::abs(found.g1[k])));
      EXPECT_NEAR(found.g2[k], -(up - 2 * here + down) / (kStep * kStep), 1e2 * kClose);
    }
    // Scores may all be moved together.
    EXPECT_NEAR(std::accumulate(found.g1.begin(), found.g1.end(), 0.0), 0, kClose);
  }
}

TEST(Choice, ProbabilitiesSumToOne) {
  RandomStream random(kSeed, 3);
  ChoiceWork work;
  for (const std::size_t classes : {2, 3, 10, 100})
    for (int i = 0; i < 30; ++i) {
      const Case of = random_case(random, classes, i % 4, 1e-3, 1e3);
      std::vector<double> probability(classes);
      choice_probabilities(of.scores(), probability, work);
      double before = 0;
      for (std::size_t k = 0; k < classes; ++k)
        before += std::exp(choice_log_probability(of.scores(), k, work));
      EXPECT_NEAR(before, 1, 10 * kQuadrature) << classes << " " << i;
      EXPECT_NEAR(std::reduce(probability.begin(), probability.end()), 1, kRounding);
    }
  // Equal scores.
  std::vector<double> probability(7);
  choice_probabilities({std::vector<double>(7, 3.5), std::vector<double>(7, 2), 0.1}, probability,
                       work);
  for (const double p : probability) EXPECT_NEAR(p, 1.0 / 7, kRounding);
}

TEST(Choice, InstructionSetsDifferByRounding) {
  RandomStream random(kSeed, 4);
  for (int i = 0; i < 40; ++i) {
    const Case of = random_case(random, 2 + random.below(30), i % 4, 0.1, 100);
    const Found best = find(of);
    for (const SimdLevel level : SimdLevel::available())
      EXPECT_LT(difference(of, find(of, level), best), kQuadrature) << level.name();
  }
}

}  // namespace
}  // namespace postrider::graph
