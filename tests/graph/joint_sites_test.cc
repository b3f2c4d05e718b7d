// Expectation propagation around a joint belief, against sums over grids.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "factor/density_site.h"
#include "graph/joint.h"
#include "graph/joint_models.h"

namespace postrider::internal {
namespace {

// Moments and evidence of two variables by a sum over a fine grid.
struct Grid {
  double log_evidence, mean[2], variance[2];
};
Grid grid_of(const std::function<double(double, double)>& log_density, double reach) {
  constexpr int kSteps = 400;
  double top = -1e300;
  for (const bool sums : {false, true}) {
    static double mass, first[2], second[2];
    mass = first[0] = first[1] = second[0] = second[1] = 0;
    for (int i = 0; i < kSteps; ++i)
      for (int j = 0; j < kSteps; ++j) {
        const double at[2]{reach * (2.0 * (i + 0.5) / kSteps - 1),
                           reach * (2.0 * (j + 0.5) / kSteps - 1)};
        const double value = log_density(at[0], at[1]);
        if (!sums) {
          top = std::max(top, value);
          continue;
        }
        const double weight = std::exp(value - top);
        mass += weight;
        for (int k = 0; k < 2; ++k) first[k] += weight * at[k], second[k] += weight * at[k] * at[k];
      }
    if (!sums) continue;
    const double cell = 2 * reach / kSteps;
    Grid out{top + std::log(mass * cell * cell), {}, {}};
    for (int k = 0; k < 2; ++k) {
      out.mean[k] = first[k] / mass;
      out.variance[k] = second[k] / mass - out.mean[k] * out.mean[k];
    }
    return out;
  }
  return {};
}

double log_logistic(double x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}
double log_probit(double x) { return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2)); }

// f(z) of one edge from a function of row and z.
std::shared_ptr<const SiteRule> site_of(std::function<double(std::size_t, double)> log_f,
                                        double least = 0) {
  return density_site(
      [log_f = std::move(log_f)](std::span<const std::uint32_t> rows, std::size_t nodes,
                                 std::span<const double> z, std::span<double> out) {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = log_f(rows[k / nodes], z[k]);
      },
      1, least);
}

void expect_near(const JointModel& model, const Grid& grid, double mean, double deviation,
                 double evidence) {
  EXPECT_NEAR(model.log_evidence(), grid.log_evidence, evidence);
  for (std::size_t k = 0; k < 2; ++k) {
    const double exact = std::sqrt(grid.variance[k]);
    EXPECT_NEAR(model.mean()[k], grid.mean[k], mean * exact);
    EXPECT_NEAR(std::sqrt(model.variances()[k]) / exact, 1, deviation);
  }
}

// Likelihoods of rows of two correlated columns.
struct Likelihood {
  const char* name;
  double (*log_f)(double y, double z);
  double least, mean, deviation, evidence;
};
double log_poisson(double y, double z) { return y * z - std::exp(z) - std::lgamma(y + 1); }
double log_student(double y, double z) {
  return std::lgamma(2.0) - std::lgamma(1.5) - 0.5 * std::log(3 * std::numbers::pi) -
         2 * std::log1p((y - z) * (y - z) / 3);
}

class Likelihoods : public testing::TestWithParam<Likelihood> {};

TEST_P(Likelihoods, AreCloseToTheExactPosterior) {
  const Likelihood& likelihood = GetParam();
  const Regression data(25, 2, 5);
  const auto observed = [&](std::size_t row) {
    return likelihood.log_f == log_poisson   ? std::floor(std::abs(2 * data.y[row]))
           : likelihood.log_f == log_student ? data.y[row] * data.y[row] * data.y[row]
           : data.y[row] > 0                 ? 1.0
                                             : -1.0;
  };
  JointModel model(2);
  model.add_gaussian(priors({0, 0}, {1, 1}));
  model.add_sites(
      data.terms(true),
      site_of([&](std::size_t row, double z) { return likelihood.log_f(observed(row), z); },
              likelihood.least));
  const JointModel::Report record = model.infer();
  EXPECT_TRUE(record.converged) << record.sweeps << " sweeps";
  EXPECT_EQ(record.kept, 0U);
  const Grid grid = grid_of(
      [&](double a, double b) {
        double out = log_normal(a, 0, 1) + log_normal(b, 0, 1);
        for (std::size_t r = 0; r < data.rows; ++r)
          out += likelihood.log_f(observed(r), a * data.x[2 * r] + b * data.x[2 * r + 1]);
        return out;
      },
      5);
  expect_near(model, grid, likelihood.mean, likelihood.deviation, likelihood.evidence);
}

INSTANTIATE_TEST_SUITE_P(
    JointModel, Likelihoods,
    testing::Values(Likelihood{"logistic", [](double y, double z) { return log_logistic(y * z); },
                               0, 0.03, 0.02, 0.05},
                    Likelihood{"probit", [](double y, double z) { return log_probit(y * z); }, 0,
                               0.03, 0.02, 0.05},
                    Likelihood{"poisson", log_poisson, 0, 0.03, 0.02, 0.05},
                    Likelihood{"student", log_student, -0.9, 0.03, 0.05, 0.05}),
    [](const auto& instance) { return instance.param.name; });

TEST(JointModel, ASiteOfOneGaussianIsThatGaussian) {
  const Regression data(10, 2, 6);
  JointModel by_sites(2), exact(2);
  for (JointModel* model : {&by_sites, &exact}) model->add_gaussian(priors({0, 0}, {1, 1}));
  exact.add_gaussian(data.gaussian());
  by_sites.add_sites(data.terms(false), site_of([&](std::size_t row, double z) {
                       return log_normal(data.y[row], z, data.variance);
                     }));
  ASSERT_TRUE(is_proper_after_inference(exact));
  EXPECT_TRUE(by_sites.infer().converged);
  EXPECT_NEAR(by_sites.log_evidence(), exact.log_evidence(), 1e-7);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(by_sites.mean()[k], exact.mean()[k], 1e-8);
    EXPECT_NEAR(by_sites.variances()[k], exact.variances()[k], 1e-8);
  }
}

TEST(JointModel, FarObservationsAreFound) {
  // One count of a thousand, and a log-rate that is N(0, 10^2) beforehand.
  JointModel model(1);
  model.add_gaussian(priors({0}, {0.01}));
  model.add_sites({1, 1, 1, {0}, {1}},
                  site_of([](std::size_t, double z) { return log_poisson(1000, z); }));
  EXPECT_TRUE(model.infer().converged);
  // Tilted by one site alone, the belief is exact: log-gamma but for the prior, whose pull is 7/100.
  EXPECT_NEAR(model.mean()[0], std::log(1000 - 0.069) - 0.5e-3, 1e-4);
  EXPECT_NEAR(model.variances()[0], 1e-3, 2e-5);
}

TEST(JointModel, ASiteThatFindsNoMessageIsNotConverged) {
  JointModel model(1);
  model.add_gaussian(priors({0}, {1}));
  model.add_sites({1, 1, 1, {0}, {1}}, site_of([](std::size_t, double) { return std::nan(""); }));
  const JointModel::Report record = model.infer();
  EXPECT_TRUE(model.is_proper());
  EXPECT_FALSE(record.converged);
  EXPECT_EQ(record.kept, 1U);
}

TEST(JointModel, FactorsOfTwoEdges) {
  // Numbers with mean x and log-variance g, both unknown.
  const std::vector<double> numbers{0.3, -1.2, 2.5, 0.9, 1.4, -0.4, 3.1, 0.2};
  const auto log_f = [](double y, double x, double g) { return log_normal(y, x, std::exp(g)); };
  JointModel model(2);
  model.add_gaussian(priors({0, 0}, {0.25, 1}));
  LinearTerms terms{numbers.size(), 2, 2, {0, 1}, {}};
  for (std::size_t r = 0; r < numbers.size(); ++r)
    terms.weights.insert(terms.weights.end(), {1, 0, 0, 1});
  model.add_sites(terms, density_site(
                             [&](std::span<const std::uint32_t> rows, std::size_t nodes,
                                 std::span<const double> z, std::span<double> out) {
                               for (std::size_t k = 0; k < out.size(); ++k)
                                 out[k] = log_f(numbers[rows[k / nodes]], z[2 * k], z[2 * k + 1]);
                             },
                             2, -0.9));
  const JointModel::Report record = model.infer();
  EXPECT_TRUE(record.converged) << record.sweeps;
  const Grid grid = grid_of(
      [&](double x, double g) {
        double out = log_normal(x, 0, 4) + log_normal(g, 0, 1);
        for (const double y : numbers) out += log_f(y, x, g);
        return out;
      },
      9);
  // The posterior of g is skew: no Gaussian has its deviation and its mean. Hyperparameters are better held at nodes.
  expect_near(model, grid, 0.05, 0.08, 0.05);
}

}  // namespace
}  // namespace postrider::internal
