#include "graph/posterior_chains.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace postrider::internal {
namespace {

using Check = graph::Model::Check;
using LogModel = std::function<double(std::span<const double>)>;

constexpr double kErrors = 4;  // standard errors that moments may be off

// Chains about the belief N(0, I) of `size` variables.
Check moved(std::size_t size, const LogModel& log_model, std::size_t most_steps = 256,
            std::vector<std::uint32_t> judged = {}) {
  const std::vector<double> zero(size, 0.0);
  return check_by_chains({zero, [](std::span<double>) {},
                          [](std::span<const double> x) {
                            return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
                          },
                          [&](std::span<const double> points, std::span<double> out) {
                            for (std::size_t k = 0; k < out.size(); ++k)
                              out[k] = log_model(points.subspan(k * size, size));
                          }},
                         {.chains = 250,
                          .most_steps = most_steps,
                          .seed = 3,
                          .is_enough = [](const Check&) { return true; },
                          .judged = judged});
}

// Independent normal variables of which the first has another mean and standard deviation.
LogModel normal_but(double mean, double sd) {
  return [=](std::span<const double> x) {
    double out = -0.5 * (x[0] - mean) * (x[0] - mean) / (sd * sd);
    for (const double value : x.subspan(1)) out -= 0.5 * value * value;
    return out;
  };
}

void expect_first(const Check& found, double mean, double sd) {
  EXPECT_TRUE(found.can_tell);
  EXPECT_NEAR(found.means[0], mean, kErrors * found.mean_errors[0]);
  EXPECT_NEAR(found.deviations[0], sd, kErrors * found.deviation_errors[0]);
  EXPECT_LT(found.deviation_errors[0], 0.05 * sd);
}

TEST(PosteriorChains, AnExactBeliefStays) {
  for (const std::size_t size : {1U, 100U}) {
    const Check found = moved(size, normal_but(0, 1));
    expect_first(found, 0, 1);
    EXPECT_LE(found.steps, 64U);
    EXPECT_GT(found.effective_draws, 4 * 250);
  }
}

// In as many dimensions weights would be those of a few draws.
TEST(PosteriorChains, FindWhatTheModelSaysInManyDimensions) {
  expect_first(moved(100, normal_but(0, 1.5)), 0, 1.5);
  expect_first(moved(100, normal_but(0, 0.5)), 0, 0.5);
  expect_first(moved(100, normal_but(0.7, 1)), 0.7, 1);
}

// Student's t with 6 degrees of freedom has the variance 1.5, and a half-normal one the mean sqrt(2/pi).
TEST(PosteriorChains, FindTailsAndEdges) {
  expect_first(moved(3,
                     [](std::span<const double> x) {
                       return -3.5 * std::log1p(x[0] * x[0] / 6) - 0.5 * x[1] * x[1] -
                              0.5 * x[2] * x[2];
                     }),
               0, std::sqrt(1.5));
  expect_first(
      moved(1,
            [](std::span<const double> x) { return x[0] < 0 ? std::nan("") : -0.5 * x[0] * x[0]; }),
      std::sqrt(2 / 3.14159265358979), std::sqrt(1 - 2 / 3.14159265358979));
}

// A model that is much narrower than the belief in many directions lets chains take small steps alone.
TEST(PosteriorChains, SayWhereTheyHaveNotForgottenTheirBeginning) {
  const LogModel narrow = [](std::span<const double> x) {
    return -0.5 * std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / 0.01;
  };
  EXPECT_FALSE(moved(100, narrow, 32).can_tell);
  EXPECT_EQ(moved(100, narrow, 64).steps, 64U);
}

TEST(PosteriorChains, TheSameSeedGivesTheSameBits) {
  EXPECT_EQ(moved(5, normal_but(0.3, 1.2)).means, moved(5, normal_but(0.3, 1.2)).means);
}

}  // namespace
}  // namespace postrider::internal
