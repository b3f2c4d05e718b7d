#include "factor/varying_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "math/quadrature.h"
#include "math/simd_level.h"

namespace postrider::graph {
using namespace internal;
namespace {

// For log Z, and for the derivatives in units of the standard deviations that belong to them.
constexpr double kQuadrature = 1e-7, kDifference = 1e-5;
constexpr int kCases = 200;

double log_normal(double x, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + x * x / variance);
}

// g's density after y is known, by adaptive quadrature.
Tabulated tilted(const VaryingNoiseInput& in) {
  constexpr double kFar = 12;  // deviations
  const double reach = kFar * std::sqrt(in.log_variance);
  return Tabulated(
      [&](double g) {
        return log_normal(g - in.log_mean, in.log_variance) +
               log_normal(in.residual, in.variance + in.scale * std::exp(g));
      },
      {in.log_mean - reach, in.log_mean + reach});
}

VaryingNoiseInput random_case(RandomStream& random) {
  return {3 * random.normal(), std::exp(2 * random.normal() - 2), random.normal(),
          random.uniform(0.01, 2), std::exp(random.normal())};
}

TEST(VaryingNoise, DerivativesAreThoseOfTheIntegral) {
  RandomStream random(3, 0);
  std::size_t guarded = 0;
  for (int i = 0; i < kCases; ++i) {
    const VaryingNoiseInput in = random_case(random);
    const VaryingNoiseDerivatives found = varying_noise_derivatives(in);
    const Tabulated exact = tilted(in);
    EXPECT_NEAR(found.log_z, exact.log_mass(), kQuadrature * (1 + std::abs(exact.log_mass())));
    EXPECT_DOUBLE_EQ(varying_noise_log_density(in), found.log_z);
    const auto total = [&](double g) { return in.variance + in.scale * std::exp(g); };
    const double inverse = exact.expect([&](double g) { return 1 / total(g); });
    const double squares = exact.expect([&](double g) { return 1 / (total(g) * total(g)); });
    EXPECT_NEAR(found.x_g1 / (in.residual * inverse), 1, kQuadrature);
    const double deviation = std::sqrt(in.log_variance);
    EXPECT_NEAR(found.log_g1 * deviation, (exact.mean() - in.log_mean) / deviation, kQuadrature);
    if (found.guarded > 0) {
      guarded += found.guarded;
      continue;
    }
    const double r = in.residual;
    EXPECT_NEAR(found.x_g2 / inverse, 1 - r * r * (squares - inverse * inverse) / inverse,
                kQuadrature);
    EXPECT_NEAR(found.log_g2 * in.log_variance, 1 - exact.variance() / in.log_variance,
                kQuadrature);
  }
  EXPECT_GT(guarded, 0U);
  EXPECT_LT(guarded, static_cast<std::size_t>(kCases));
}

// Any row of the range that the accuracy is stated for, with residuals like those of a good fit in
// half of the cases.
VaryingNoiseInput any_case(RandomStream& random) {
  const double noise = std::exp(random.normal()), log_mean = random.normal();
  const double variance = noise * random.log_uniform(1e-6, 1e6);
  const double in_deviations = random.normal() > 0 ? random.normal() : random.uniform(0, 30);
  return {in_deviations * std::sqrt(variance + noise), variance, log_mean,
          random.log_uniform(1e-6, 4), noise / std::exp(log_mean)};
}

// The formulas of the header by steps so small, and so far, that nothing is left of their error.
VaryingNoiseDerivatives by_small_steps(const VaryingNoiseInput& in) {
  constexpr double kStep = 0.02, kFirst = -14, kLast = 70;  // in deviations of g
  constexpr double kLeastShare = 0.25;
  struct Node {
    double t, share, total, weight;  // its logarithm at first
  };
  std::vector<Node> nodes;
  double top = -INFINITY;
  for (double t = kFirst; t < kLast; t += kStep) {
    const double noise = in.scale * std::exp(in.log_mean + std::sqrt(in.log_variance) * t);
    const double total = in.variance + noise;
    nodes.push_back({t, noise / total, total, log_normal(t, 1) + log_normal(in.residual, total)});
    top = std::max(top, nodes.back().weight);
  }
  double mass = 0;
  for (Node& node : nodes) mass += node.weight = std::exp(node.weight - top);
  const auto expect = [&](auto of) {
    double sum = 0;
    for (const Node& node : nodes) sum += node.weight * of(node);
    return sum / mass;
  };
  const double r = in.residual, inverse = expect([](const Node&at) { return 1 / at.total; });
  const double shift = expect([](const Node& at) { return at.t; });
  const double rest = expect([&](const Node& at) { return (at.t - shift) * (at.t - shift); });
  const double spread = expect([&](const Node& at) {
    const double gap = r / at.total - r * inverse;
    return gap * gap;
  });
  const double information = 0.5 * expect([](const Node& at) { return at.share * at.share; });
  VaryingNoiseDerivatives out;
  out.log_z = top + std::log(mass * kStep);
  out.x_g1 = r * inverse;
  out.x_g2 = std::max(inverse - spread, kLeastShare * inverse);
  out.log_g1 = shift / std::sqrt(in.log_variance);
  out.log_g2 = std::max((1 - rest) / in.log_variance,
                        kLeastShare * information / (1 + in.log_variance * information));
  out.scale_slope = 0.5 * expect([&](const Node& at) { return at.share * (r * r / at.total - 1); });
  return out;
}

TEST(VaryingNoise, TheAccuracyHoldsOverTheWholeRange) {
  RandomStream random(6, 0);
  for (int i = 0; i < 20 * kCases; ++i) {
    const VaryingNoiseInput in = any_case(random);
    const VaryingNoiseDerivatives found = varying_noise_derivatives(in), exact = by_small_steps(in);
    const double inverse = exact.x_g1 / in.residual, deviation = std::sqrt(in.log_variance);
    EXPECT_NEAR(found.log_z, exact.log_z, kQuadrature * (1 + std::abs(exact.log_z)));
    EXPECT_NEAR(found.x_g1 / exact.x_g1, 1, kQuadrature);
    EXPECT_NEAR(found.x_g2 / inverse, exact.x_g2 / inverse, kQuadrature);
    EXPECT_NEAR(found.log_g1 * deviation, exact.log_g1 * deviation, kQuadrature);
    EXPECT_NEAR(found.log_g2 * in.log_variance, exact.log_g2 * in.log_variance, kQuadrature);
    EXPECT_NEAR(found.scale_slope, exact.scale_slope,
                kQuadrature * (1 + std::abs(exact.scale_slope)));
    if (HasFailure())
      FAIL() << "residual " << in.residual << " variance " << in.variance << " log_mean "
             << in.log_mean << " log_variance " << in.log_variance << " scale " << in.scale;
  }
}

// Many rows in arrays, as networks side by side have them.
class Rows {
 public:
  explicit Rows(std::size_t count) : in_(5, std::vector<double>(count)), out_(7, in_[0]) {}

  void set(std::size_t i, const VaryingNoiseInput& in) {
    const double values[] = {in.residual, in.variance, in.log_mean, in.log_variance, in.scale};
    for (std::size_t field = 0; field < std::size(values); ++field) in_[field][i] = values[field];
  }
  void derive(SimdLevel level) {
    varying_noise_derivatives({in_[0], in_[1], in_[2], in_[3], in_[4]},
                              {out_[0], out_[1], out_[2], out_[3], out_[4], out_[5], out_[6]},
                              level);
  }
  // log_z, x_g1, x_g2, log_g1, log_g2, scale_slope, guarded
  std::vector<double> found(std::size_t i) const {
    std::vector<double> out;
    for (const auto& field : out_) out.push_back(field[i]);
    return out;
  }

 private:
  std::vector<std::vector<double>> in_, out_;
};

TEST(VaryingNoise, LanesDoNotSeeTheirNeighbours) {
  constexpr std::size_t kRows = 37;  // whole vectors, and a rest
  for (const SimdLevel level : SimdLevel::available()) {
    RandomStream random(7, 0);
    Rows together(kRows), alone(1);
    std::vector<VaryingNoiseInput> in;
    for (std::size_t i = 0; i < kRows; ++i) in.push_back(any_case(random));
    for (std::size_t i = 0; i < kRows; ++i) together.set(i, in[i]);
    together.derive(level);
    for (std::size_t i = 0; i < kRows; ++i) {
      alone.set(0, in[i]);
      alone.derive(level);
      EXPECT_EQ(together.found(i), alone.found(0)) << level.name() << " row " << i;
    }
  }
}

// Rounding may put an end of a grid elsewhere: what is left of the integral's error then differs.
TEST(VaryingNoise, LevelsAgree) {
  constexpr std::size_t kRows = 500;
  RandomStream random(8, 0);
  Rows rows(kRows);
  std::vector<VaryingNoiseInput> in;
  for (std::size_t i = 0; i < kRows; ++i) in.push_back(any_case(random));
  for (std::size_t i = 0; i < kRows; ++i) rows.set(i, in[i]);
  for (const SimdLevel level : SimdLevel::available()) {
    rows.derive(level);
    std::size_t guards = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const VaryingNoiseDerivatives one = varying_noise_derivatives(in[i]);
      const std::vector<double> found = rows.found(i);
      const double deviation = std::sqrt(in[i].log_variance);
      EXPECT_NEAR(found[0], one.log_z, kQuadrature * (1 + std::abs(one.log_z))) << level.name();
      EXPECT_NEAR(found[1] / one.x_g1, 1, kQuadrature) << level.name();
      EXPECT_NEAR(found[2] / one.x_g2, 1, kQuadrature / 0.25) << level.name();
      EXPECT_NEAR(found[3] * deviation, one.log_g1 * deviation, kQuadrature) << level.name();
      EXPECT_NEAR(found[4] * in[i].log_variance, one.log_g2 * in[i].log_variance, kQuadrature);
      EXPECT_NEAR(found[5], one.scale_slope, kQuadrature * (1 + std::abs(one.scale_slope)));
      EXPECT_EQ(found[6], static_cast<double>(one.guarded)) << level.name();
      guards += one.guarded;
    }
    EXPECT_GT(guards, 0U);
  }
}

TEST(VaryingNoise, SlopeIsADifferenceQuotient) {
  constexpr double kStep = 1e-4;
  RandomStream random(4, 0);
  for (int i = 0; i < kCases; ++i) {
    VaryingNoiseInput in = random_case(random);
    const double slope = varying_noise_derivatives(in).scale_slope;
    const double scale = in.scale;
    const auto at = [&](double step) {
      in.scale = scale * std::exp(step);
      return varying_noise_log_density(in);
    };
    EXPECT_NEAR(slope, (at(kStep) - at(-kStep)) / (2 * kStep), kDifference * (1 + std::abs(slope)));
  }
}

TEST(VaryingNoise, KnownNoiseIsTheGaussianLikelihood) {
  const double variance = 0.7, noise = 2 * std::exp(0.3), r = 1.1;
  const VaryingNoiseDerivatives found = varying_noise_derivatives({r, variance, 0.3, 1e-10, 2});
  EXPECT_NEAR(found.log_z, log_normal(r, variance + noise), kQuadrature);
  EXPECT_NEAR(found.x_g1, r / (variance + noise), kQuadrature);
  EXPECT_NEAR(found.x_g2, 1 / (variance + noise), kQuadrature) << "[limit: known_noise]";
}

TEST(VaryingNoise, AVagueMeanSaysNothingAboutTheNoise) {
  const VaryingNoiseDerivatives found = varying_noise_derivatives({5, 1e8, 0, 1, 1});
  EXPECT_NEAR(found.log_g1, 0, kQuadrature);
  EXPECT_NEAR(found.log_g2, 0, kQuadrature) << "[limit: vague]";
}

// Messages exist and are proper whatever comes: 0 < g2 v < 1 for both.
TEST(VaryingNoise, MessagesAreProper) {
  RandomStream random(5, 0);
  for (int i = 0; i < 20 * kCases; ++i) {
    VaryingNoiseInput in = random_case(random);
    in.residual *= std::exp(2 * random.normal());
    const VaryingNoiseDerivatives found = varying_noise_derivatives(in);
    EXPECT_TRUE(std::isfinite(found.log_z));
    EXPECT_GT(found.x_g2, 0);
    EXPECT_LT(found.x_g2 * in.variance, 1);
    EXPECT_GE(found.log_g2, 0);
    EXPECT_LT(found.log_g2 * in.log_variance, 1);
  }
}

TEST(VaryingNoise, ExpectedNoiseIsTheMeanOfALogNormal) {
  const Tabulated g([](double x) { return log_normal(x - 0.4, 0.5); }, {-10, 10});
  EXPECT_NEAR(expected_noise(0.4, 0.5, 3), 3 * g.expect([](double x) { return std::exp(x); }),
              kQuadrature);
}

}  // namespace
}  // namespace postrider::graph
