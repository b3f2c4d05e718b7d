#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "encode/relevance.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kSlope = 0.05;
const std::vector<double> kInputs{0.3, -1.2, 1.1, 0.4, -0.7, 0.9};  // three rows
const std::vector<double> kTargets{0.5, -1.0, 0.8};
const WidePrior kPrior{{-0.2, 0.4}, 0.3, -0.5, -1.5};

// E[phi(u) phi(v)] over two Gaussian numbers, by the trapezoidal rule in u and in what is left of v.
double expectation(double uu, double uv, double vv) {
  const auto phi = [](double x) { return x > 0 ? x : kSlope * x; };
  const double rest = std::sqrt(vv - uv * uv / uu);
  constexpr double kWidth = 9, kStep = 0.01;
  double sum = 0;
  for (double a = -kWidth; a <= kWidth; a += kStep)
    for (double b = -kWidth; b <= kWidth; b += kStep) {
      const double u = std::sqrt(uu) * a, v = uv / uu * u + rest * b;
      sum += phi(u) * phi(v) * std::exp(-(a * a + b * b) / 2);
    }
  return sum * kStep * kStep / (2 * std::numbers::pi);
}

double product_of(const WidePrior& prior, std::size_t i, std::size_t j) {
  double out = std::exp(prior.bias);
  for (std::size_t c = 0; c < 2; ++c)
    out += std::exp(2 * prior.relevance[c]) * kInputs[2 * i + c] * kInputs[2 * j + c];
  return out;
}

// Two rows: the density of a Gaussian pair, written out.
TEST(WideEvidence, IsThatOfGaussianTargets) {
  const auto covariance = [&](std::size_t i, std::size_t j) {
    const double k = i == j ? product_of(kPrior, i, i) * (1 + kSlope * kSlope) / 2
                            : expectation(product_of(kPrior, i, i), product_of(kPrior, i, j),
                                          product_of(kPrior, j, j));
    return std::exp(kPrior.output) * (2 * k + 0.1);
  };
  const double noise = std::exp(kPrior.noise);
  const double a = covariance(0, 0) + noise, b = covariance(0, 1), c = covariance(1, 1) + noise / 2;
  const double y = kTargets[0], z = kTargets[1], determinant = a * c - b * b;
  const double expected = -(c * y * y - 2 * b * y * z + a * z * z) / determinant / 2 -
                          std::log(determinant) / 2 - std::log(2 * std::numbers::pi);
  const std::vector<double> inputs(kInputs.begin(), kInputs.begin() + 4),
      targets(kTargets.begin(), kTargets.begin() + 2), weights{1, 2};
  EXPECT_NEAR(wide_evidence({inputs, targets, weights}, kPrior, kSlope).value, expected, 1e-4);
}

TEST(WideEvidence, DerivativesAreThoseOfDifferences) {
  const std::vector<double> weights{1, 3, 0.5}, targets{0.5, 1, -1, 0.2, 0.8, -0.4};
  const Examples rows{Inputs(kInputs, 3, 2), targets, weights};
  const WideEvidence found = wide_evidence(rows, kPrior, kSlope);
  const auto slope_by = [&](const std::function<double&(WidePrior&)>& number) {
    constexpr double kStep = 1e-5;
    WidePrior up = kPrior, down = kPrior;
    number(up) += kStep;
    number(down) -= kStep;
    return (wide_evidence(rows, up, kSlope).value - wide_evidence(rows, down, kSlope).value) /
           (2 * kStep);
  };
  for (std::size_t c = 0; c < 2; ++c)
    EXPECT_NEAR(found.gradient.relevance[c],
                slope_by([&](WidePrior& p) -> double& { return p.relevance[c]; }), 1e-6);
  EXPECT_NEAR(found.gradient.output, slope_by([](WidePrior& p) -> double& { return p.output; }),
              1e-6);
  EXPECT_NEAR(found.gradient.bias, slope_by([](WidePrior& p) -> double& { return p.bias; }), 1e-6);
  EXPECT_NEAR(found.gradient.noise, slope_by([](WidePrior& p) -> double& { return p.noise; }),
              1e-6);
}

TEST(WideEvidence, OutputsAreIndependent) {
  const std::vector<double> twice{0.5, 0.5, -1, -1, 0.8, 0.8};
  const double one = wide_evidence({kInputs, kTargets}, kPrior, kSlope).value;
  EXPECT_NEAR(wide_evidence({Inputs(kInputs, 3, 2), twice}, kPrior, kSlope).value, 2 * one, 1e-12);
}

TEST(WideEvidence, RowsThatAreTheSameWithoutNoiseHaveNone) {
  const std::vector<double> same{1, 1, 1, 1}, targets{1, 2};
  WidePrior exact = kPrior;
  exact.noise = -1e4;
  EXPECT_EQ(wide_evidence({same, targets}, exact, kSlope).value,
            -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace postrider
