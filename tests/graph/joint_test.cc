#include "graph/joint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "base/random.h"
#include "graph/density_site.h"
#include "math/cholesky.h"

namespace postrider::internal {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kLogTwoPi = 1.8378770664093453;

double log_normal(double x, double mean, double variance) {
  return -0.5 * (kLogTwoPi + std::log(variance) + (x - mean) * (x - mean) / variance);
}

// Independent priors N(means, 1/precisions) of all variables.
GaussianTerms priors(std::vector<double> means, std::vector<double> precisions) {
  GaussianTerms out;
  out.terms = {means.size(), 1, 1, {}, std::vector<double>(means.size(), 1.0)};
  for (std::uint32_t i = 0; i < means.size(); ++i) out.terms.variables.push_back(i);
  out.targets = std::move(means);
  out.precisions = std::move(precisions);
  return out;
}

// Numbers y ~ N(X w, variance), the columns of X correlated.
struct Regression {
  std::size_t rows, columns;
  std::vector<double> x, y;
  double variance = 0.3;

  Regression(std::size_t rows_, std::size_t columns_, unsigned seed)
      : rows(rows_), columns(columns_) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t r = 0; r < rows; ++r) {
      const double common = normal(random);
      for (std::size_t k = 0; k < columns; ++k) x.push_back(2 * common + normal(random));
      y.push_back(normal(random));
    }
  }
  LinearTerms terms(bool shared) const {
    LinearTerms out{rows, columns, 1, {}, x};
    for (std::size_t r = 0; r < (shared ? 1 : rows); ++r)
      for (std::uint32_t k = 0; k < columns; ++k) out.variables.push_back(k);
    return out;
  }
  GaussianTerms gaussian(bool shared = true) const {
    return {terms(shared), y, std::vector<double>(rows, 1 / variance)};
  }
  // log N(y; X m, s2 I + X P^-1 X') and the mean and covariance of w given y, from the joint covariance of y and w.
  struct Exact {
    double log_evidence;
    std::vector<double> mean, covariance;
  };
  Exact exact(const std::vector<double>& means, const std::vector<double>& precisions) const {
    std::vector<double> of_y(rows * rows), gap(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      gap[r] = y[r];
      for (std::size_t k = 0; k < columns; ++k) gap[r] -= x[r * columns + k] * means[k];
      for (std::size_t q = 0; q < rows; ++q) {
        of_y[r * rows + q] = r == q ? variance : 0;
        for (std::size_t k = 0; k < columns; ++k)
          of_y[r * rows + q] += x[r * columns + k] * x[q * columns + k] / precisions[k];
      }
    }
    const Cholesky factor(of_y, rows);
    std::vector<double> solved = gap;
    factor.solve(solved);
    Exact out{-0.5 * (static_cast<double>(rows) * kLogTwoPi + factor.log_determinant()), means,
              std::vector<double>(columns * columns)};
    for (std::size_t r = 0; r < rows; ++r) out.log_evidence -= 0.5 * gap[r] * solved[r];
    for (std::size_t k = 0; k < columns; ++k) {
      std::vector<double> cross(rows);
      for (std::size_t r = 0; r < rows; ++r) cross[r] = x[r * columns + k] / precisions[k];
      for (std::size_t r = 0; r < rows; ++r) out.mean[k] += cross[r] * solved[r];
      factor.solve(cross);
      for (std::size_t l = 0; l < columns; ++l) {
        double sum = k == l ? 1 / precisions[k] : 0;
        for (std::size_t r = 0; r < rows; ++r) sum -= cross[r] * x[r * columns + l] / precisions[l];
        out.covariance[k * columns + l] = sum;
      }
    }
    return out;
  }
};

TEST(JointModel, IsExactForCorrelatedColumns) {
  const Regression data(30, 5, 1);
  const std::vector<double> means{1, -2, 0, 0.5, 3}, precisions{1, 0.1, 2, 0.5, 1};
  const Regression::Exact exact = data.exact(means, precisions);
  for (const bool shared : {true, false}) {
    JointModel model(5);
    model.add_gaussian(priors(means, precisions));
    model.add_gaussian(data.gaussian(shared));
    const JointRecord record = model.infer();
    EXPECT_TRUE(record.is_proper && record.converged);
    EXPECT_NEAR(model.log_evidence(), exact.log_evidence, kRounding);
    for (std::uint32_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(model.mean()[k], exact.mean[k], kRounding);
      EXPECT_NEAR(model.variances()[k], exact.covariance[k * 5 + k], kRounding);
      const std::vector<double> column = model.covariances_with(k);
      for (std::size_t l = 0; l < 5; ++l)
        EXPECT_NEAR(column[l], exact.covariance[k * 5 + l], kRounding);
    }
  }
}

TEST(JointModel, BlocksAreTheRowsTheyConsistOf) {
  const Regression data(6, 3, 2);
  BlockTerms block{1, 3, {0, 1, 2}, std::vector<double>(9), {0.1, 0.2, -0.3}, {-0.7}};
  // (x - m)' A'A (x - m) with the rows of A as precisions 1.
  GaussianTerms rows = data.gaussian();
  for (std::size_t r = 0; r < 6; ++r) {
    rows.precisions[r] = 1;
    rows.targets[r] = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      rows.targets[r] += data.x[r * 3 + i] * block.means[i];
      for (std::size_t j = 0; j < 3; ++j)
        block.precision[i * 3 + j] += data.x[r * 3 + i] * data.x[r * 3 + j];
    }
  }
  JointModel by_rows(3), by_block(3);
  for (JointModel* model : {&by_rows, &by_block})
    model->add_gaussian(priors({0, 1, 2}, {1, 1, 0.5}));
  by_rows.add_gaussian(rows);
  by_block.add_block(block);
  ASSERT_TRUE(by_rows.infer().is_proper && by_block.infer().is_proper);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(by_rows.mean()[k], by_block.mean()[k], kRounding);
    EXPECT_NEAR(by_rows.variances()[k], by_block.variances()[k], kRounding);
  }
  EXPECT_NEAR(by_rows.log_evidence() + 3 * kLogTwoPi, by_block.log_evidence() + 0.7, kRounding);
}

TEST(JointModel, AVariableMayStandTwiceInARow) {
  const Regression data(12, 2, 7);
  JointModel once(2), twice(2);
  for (JointModel* model : {&once, &twice}) model->add_gaussian(priors({0, 0}, {1, 1}));
  once.add_gaussian(data.gaussian());
  GaussianTerms terms{
      {12, 3, 1, {0, 1, 0}, {}}, data.y, std::vector<double>(12, 1 / data.variance)};
  for (std::size_t r = 0; r < 12; ++r)
    terms.terms.weights.insert(terms.terms.weights.end(),
                               {0.3 * data.x[2 * r], data.x[2 * r + 1], 0.7 * data.x[2 * r]});
  twice.add_gaussian(terms);
  ASSERT_TRUE(once.infer().is_proper && twice.infer().is_proper);
  EXPECT_NEAR(once.log_evidence(), twice.log_evidence(), kRounding);
  const std::vector<double> x{0.4, -1};
  EXPECT_NEAR(once.log_belief(x), twice.log_belief(x), kRounding);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(once.mean()[k], twice.mean()[k], kRounding);
    EXPECT_NEAR(once.variances()[k], twice.variances()[k], kRounding);
  }
}

TEST(JointModel, AChainOfBlocksIsARandomWalk) {
  // x_t = x_(t-1) + N(0, 1) from x_0 ~ N(0, 1): variance t + 1, covariance the smaller of the two.
  constexpr std::uint32_t kLength = 200;
  JointModel model(kLength);
  BlockTerms steps{kLength - 1, 2, {}, {1, -1, -1, 1}, {0, 0}, {-0.5 * kLogTwoPi}};
  for (std::uint32_t t = 1; t < kLength; ++t)
    steps.variables.insert(steps.variables.end(), {t - 1, t});
  model.add_block(steps);
  model.add_gaussian({{1, 1, 1, {0}, {1}}, {0}, {1}});
  ASSERT_TRUE(model.infer().is_proper);
  EXPECT_NEAR(model.log_evidence(), 0, 1e-9);
  for (std::uint32_t t = 0; t < kLength; ++t)
    EXPECT_NEAR(model.variances()[t], t + 1, 1e-9 * (t + 1));
  const std::vector<double> column = model.covariances_with(50);
  for (std::uint32_t t = 0; t < kLength; ++t) EXPECT_NEAR(column[t], std::min(t, 50U) + 1, 1e-8);
}

TEST(JointModel, AModelThatLeavesADirectionOpenIsNotProper) {
  JointModel model(2);
  model.add_gaussian({{1, 2, 1, {0, 1}, {1, 1}}, {0}, {1}});
  EXPECT_FALSE(model.infer().is_proper);
}

TEST(JointModel, NumbersMayChangeBetweenRuns) {
  const Regression data(12, 3, 3);
  JointModel model(3), anew(3);
  model.add_gaussian(priors({0, 0, 0}, {1, 1, 1}));
  model.add_gaussian(data.gaussian());
  ASSERT_TRUE(model.infer().is_proper);
  GaussianTerms changed = data.gaussian();
  for (double& precision : changed.precisions) precision *= 4;
  for (double& target : changed.targets) target += 1;
  model.gaussian(1) = changed;
  anew.add_gaussian(priors({0, 0, 0}, {1, 1, 1}));
  anew.add_gaussian(changed);
  ASSERT_TRUE(model.infer().is_proper && anew.infer().is_proper);
  EXPECT_EQ(model.log_evidence(), anew.log_evidence());
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(model.mean()[k], anew.mean()[k]);
}

TEST(JointModel, DrawsAndDensitiesAreThoseOfTheBelief) {
  const Regression data(12, 3, 4);
  JointModel model(3);
  model.add_gaussian(priors({0, 0, 0}, {1, 1, 1}));
  model.add_gaussian(data.gaussian());
  ASSERT_TRUE(model.infer().is_proper);
  RandomStream random(1, 0);
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> x(3);
    for (double& value : x) value = random.normal();
    model.draw(x);
    // Where all factors are Gaussian the two differ by the evidence everywhere.
    EXPECT_NEAR(model.log_model(x) - model.log_belief(x), model.log_evidence(), 1e-8);
    const double pair = x[0] - x[2];
    sum += pair, squares += pair * pair;
  }
  const double mean = model.mean()[0] - model.mean()[2];
  const std::vector<double> first = model.covariances_with(0);
  const double variance = first[0] - 2 * first[2] + model.variances()[2];
  EXPECT_NEAR(sum / kDraws, mean, 5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares / kDraws - sum / kDraws * sum / kDraws, variance, 0.05 * variance);
}

// --- sites -----------------------------------------------------------------------------------------

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
  const JointRecord record = model.infer();
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
  ASSERT_TRUE(exact.infer().is_proper);
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
  const JointRecord record = model.infer();
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
