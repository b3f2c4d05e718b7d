// Models that tests of the joint belief have in common, with exact solutions.
#pragma once

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "graph/joint.h"
#include "math/cholesky.h"

namespace postrider::internal {

inline bool is_proper_after_inference(JointModel& model) {
  model.infer();
  return model.is_proper();
}

inline double log_normal(double x, double mean, double variance) {
  return -0.5 * (kLogTwoPi + std::log(variance) + (x - mean) * (x - mean) / variance);
}

// Independent priors N(means, 1/precisions) of all variables.
inline GaussianTerms priors(std::vector<double> means, std::vector<double> precisions) {
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

}  // namespace postrider::internal
