#include "graph/posterior_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace postrider::internal {
namespace {

using Check = graph::Model::Check;
constexpr std::size_t kDraws = 4000;

// A belief N(0, width^2) of a model N(mean, 1) times `scale`.
Check checked(double width, double mean, double scale = 1) {
  return check_posterior(
      {[width](std::size_t s, std::span<double> x) { x[0] = width * RandomStream(1, s).normal(); },
       [width](std::span<const double> x) {
         return -0.5 * x[0] * x[0] / (width * width) - std::log(width);
       },
       [=](std::span<const double> x, std::span<double> out) {
         for (std::size_t s = 0; s < out.size(); ++s)
           out[s] = -0.5 * (x[s] - mean) * (x[s] - mean) + std::log(scale);
       }},
      1, kDraws);
}

TEST(PosteriorCheck, AnExactBeliefHasEvenWeights) {
  const Check found = checked(1, 0, 7);
  EXPECT_TRUE(found.can_tell);
  EXPECT_NEAR(found.effective_draws, kDraws, 1e-6);
  EXPECT_NEAR(found.log_evidence, std::log(7.0), 1e-9);
  EXPECT_NEAR(found.log_evidence_error, 0, 1e-7);
}

TEST(PosteriorCheck, CorrectsWhatIsALittleOff) {
  const Check found = checked(1.3, 0.3);
  EXPECT_TRUE(found.can_tell);
  EXPECT_NEAR(found.means[0], 0.3, 4 * found.mean_errors[0]);
  EXPECT_NEAR(found.deviations[0], 1, 4 * found.deviation_errors[0]);
  EXPECT_NEAR(found.log_evidence, 0, 4 * found.log_evidence_error);
  EXPECT_LT(found.mean_errors[0], 0.05);
}

// Weights exp(a x^2) of x ~ N(0, width^2), a = (1/width^2 - 1)/2, have the shape 1 - width^2 in the end, and less as far as draws go.
TEST(PosteriorCheck, ABeliefThatIsTooNarrowIsSeen) {
  const Check narrow = checked(0.4, 0);
  EXPECT_GT(narrow.pareto_k, 0.5);
  EXPECT_GT(narrow.deviations[0], 1.5 * 0.4);
  EXPECT_FALSE(checked(0.1, 0).can_tell);
  EXPECT_TRUE(checked(0.8, 0).can_tell);
}

TEST(PosteriorCheck, DrawsWhereTheModelHasNoDensityCountForNothing) {
  const Check found = check_posterior(
      {[](std::size_t s, std::span<double> x) { x[0] = RandomStream(2, s).normal(); },
       [](std::span<const double> x) { return -0.5 * x[0] * x[0]; },
       [](std::span<const double> x, std::span<double> out) {
         for (std::size_t s = 0; s < out.size(); ++s)
           out[s] = x[s] < 0 ? std::nan("") : -0.5 * x[s] * x[s];
       }},
      1, kDraws);
  EXPECT_NEAR(found.means[0], std::sqrt(2 / 3.14159265358979), 0.04);
  EXPECT_NEAR(found.log_evidence, std::log(0.5), 0.05);
}

TEST(FitPareto, FindsTheShape) {
  for (const double k : {0.2, 0.6, 1.0}) {
    std::vector<double> draws;
    RandomStream random(3, 0);
    for (int s = 0; s < 20000; ++s)
      draws.push_back(2 * std::expm1(-k * std::log1p(-random.uniform())) / k);
    std::ranges::sort(draws);
    const ParetoFit fit = fit_pareto(draws);
    EXPECT_NEAR(fit.k, k, 0.04);
    EXPECT_NEAR(fit.sigma, 2, 0.1);
  }
}

}  // namespace
}  // namespace postrider::internal
