// Against dense normal equations, and against the condition that a gradient is zero.
#include "table/linear_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kClose = 1e-5;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Rows of three columns: one in another unit, one mostly zero, one with missing numbers.
struct Made {
  SparseInputs inputs;
  std::vector<std::vector<double>> dense;  // missing numbers are the column's mean
  std::vector<double> targets, weights;
  std::vector<std::size_t> labels;
};

Made made(std::size_t rows, std::size_t classes) {
  RandomStream random(1, 0);
  Made out;
  out.inputs.columns = 3;
  std::vector<std::size_t> missing;
  double sum = 0, known = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double a = 1000 + 300 * random.normal(), b = random.uniform() < 0.2 ? random.normal() : 0;
    const bool is_missing = random.uniform() < 0.1;
    const double c = random.normal(), weight = random.uniform(0.5, 2);
    out.inputs.add(0, a);
    if (b != 0) out.inputs.add(1, b);
    out.inputs.add(2, is_missing ? kMissing : c);
    out.inputs.end_row();
    out.weights.push_back(weight);
    if (is_missing) {
      missing.push_back(row);
    } else {
      sum += weight * c;
      known += weight;
    }
    out.dense.push_back({a, b, c});
    const double score = 0.002 * (a - 1000) + b - 0.5 * c;
    out.targets.push_back(5 + score + 0.3 * random.normal());
    out.labels.push_back(classes < 3 ? (score + random.normal() > 0.5 ? 1 : 0)
                                     : std::min<std::size_t>(2, random.below(2) + (score > 0)));
  }
  for (const std::size_t row : missing) out.dense[row][2] = sum / known;
  return out;
}

// Weighted means and standard deviations of the columns.
std::vector<std::vector<double>> standardised(const Made& rows) {
  std::vector<std::vector<double>> out = rows.dense;
  for (std::size_t j = 0; j < 3; ++j) {
    double total = 0, mean = 0, square = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      total += rows.weights[i];
      mean += rows.weights[i] * out[i][j];
    }
    mean /= total;
    for (std::size_t i = 0; i < out.size(); ++i)
      square += rows.weights[i] * (out[i][j] - mean) * (out[i][j] - mean) / total;
    for (std::vector<double>& row : out) row[j] = (row[j] - mean) / std::sqrt(square);
  }
  return out;
}

// Gaussian elimination.
std::vector<double> solution(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

TEST(LinearFit, RidgeSolvesTheNormalEquations) {
  const Made rows = made(200, 0);
  const std::vector<std::vector<double>> z = standardised(rows);
  std::vector<std::vector<double>> a(4, std::vector<double>(4));
  std::vector<double> b(4);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::vector<double> row{z[i][0], z[i][1], z[i][2], 1};
    for (std::size_t j = 0; j < 4; ++j) {
      b[j] += rows.weights[i] * row[j] * rows.targets[i];
      for (std::size_t k = 0; k < 4; ++k) a[j][k] += rows.weights[i] * row[j] * row[k];
    }
  }
  for (std::size_t j = 0; j < 3; ++j)
    a[j][j] += 1;  // the penalty, which the intercept does not have
  const std::vector<double> expected = solution(a, b);
  const LinearFit fit = fit_linear({rows.inputs, rows.targets, {}, 0, rows.weights});
  const std::vector<double> found = linear_outputs(fit, rows.inputs);
  for (std::size_t i = 0; i < z.size(); ++i) {
    double wanted = expected[3];
    for (std::size_t j = 0; j < 3; ++j) wanted += z[i][j] * expected[j];
    EXPECT_NEAR(found[i], wanted, kClose);
  }
}

// Where the penalised loss is least, its gradient is zero: sum w (p - y) z + coefficient = 0.
void expect_least(const Made& rows, std::size_t classes) {
  const LinearFit fit = fit_linear({rows.inputs, {}, rows.labels, classes, rows.weights});
  const std::vector<double> scores = linear_outputs(fit, rows.inputs);
  const std::vector<std::vector<double>> z = standardised(rows);
  const std::size_t outputs = fit.intercepts.size();
  ASSERT_EQ(outputs, classes == 2 ? 1u : classes);
  for (std::size_t k = 0; k < outputs; ++k) {
    double sum = 0;
    std::vector<double> gradient(3);
    for (std::size_t i = 0; i < z.size(); ++i) {
      double below = outputs == 1 ? 1 : 0;
      for (std::size_t c = 0; c < outputs; ++c) below += std::exp(scores[i * outputs + c]);
      const double p = std::exp(scores[i * outputs + k]) / below;
      const double miss =
          rows.weights[i] * (p - (rows.labels[i] == (outputs == 1 ? 1 : k) ? 1 : 0));
      sum += miss;
      for (std::size_t j = 0; j < 3; ++j) gradient[j] += miss * z[i][j];
    }
    EXPECT_NEAR(sum, 0, kClose * static_cast<double>(z.size()));
    for (std::size_t j = 0; j < 3; ++j) {
      // The coefficient of the standardised column: the weight times its standard deviation.
      const double by = (rows.dense[0][j] - rows.dense[1][j]) / (z[0][j] - z[1][j]);
      if (!std::isfinite(by)) continue;
      EXPECT_NEAR(gradient[j] + by * fit.weights[j * outputs + k], 0,
                  kClose * static_cast<double>(z.size()));
    }
  }
}

TEST(LinearFit, LogisticRegressionIsLeast) { expect_least(made(300, 2), 2); }
TEST(LinearFit, SoftmaxRegressionIsLeast) { expect_least(made(300, 3), 3); }

TEST(LinearFit, ClassesThatAreApartStayFinite) {
  SparseInputs inputs;
  inputs.columns = 2;
  std::vector<std::size_t> labels;
  for (std::size_t row = 0; row < 40; ++row) {
    inputs.add(0, row < 20 ? -1 : 1);
    inputs.add(1, 3);  // constant: says nothing
    inputs.end_row();
    labels.push_back(row < 20 ? 0 : 1);
  }
  const LinearFit fit = fit_linear({inputs, {}, labels, 2});
  const std::vector<double> scores = linear_outputs(fit, inputs);
  EXPECT_LT(scores.front(), -1);
  EXPECT_GT(scores.back(), 1);
  EXPECT_TRUE(std::isfinite(scores.back()));
  EXPECT_EQ(fit.weights[1], 0);
}

}  // namespace
}  // namespace postrider
