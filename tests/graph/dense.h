// Linear Gaussian models by dense linear algebra: the reference for graphs of linear factors.
#pragma once

#include <cmath>
#include <vector>

namespace postrider::dense {

using Row = std::vector<double>;

// Every variable is mean + weights . sources, with independent standard normal sources.
struct Model {
  std::vector<double> mean;
  std::vector<Row> weights;
  std::size_t sources = 0;

  std::size_t source() { return sources++; }
  std::size_t add(double m, Row w) {
    mean.push_back(m);
    weights.push_back(std::move(w));
    return mean.size() - 1;
  }
  double covariance(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t k = 0; k < std::min(weights[a].size(), weights[b].size()); ++k)
      sum += weights[a][k] * weights[b][k];
    return sum;
  }
};

struct Conditioned {
  std::vector<double> mean, variance;
  double log_evidence;
};

// Given the values of some variables: Cholesky of their covariance.
inline Conditioned condition(const Model& model, const std::vector<std::size_t>& observed,
                             const std::vector<double>& values) {
  const std::size_t n = observed.size();
  Row entries(n * n, 0.0);
  const auto lower = [&](std::size_t i, std::size_t j) -> double& { return entries[i * n + j]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = model.covariance(observed[i], observed[j]);
      for (std::size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
      lower(i, j) = i == j ? std::sqrt(sum) : sum / lower(j, j);
    }
  const auto solve = [&](Row right) {  // lower x = right
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) right[i] -= lower(i, k) * right[k];
      right[i] /= lower(i, i);
    }
    return right;
  };
  Row gap(n);
  for (std::size_t i = 0; i < n; ++i) gap[i] = values[i] - model.mean[observed[i]];
  const Row white = solve(gap);

  Conditioned out;
  out.log_evidence = 0;
  for (std::size_t i = 0; i < n; ++i)
    out.log_evidence -=
        0.5 * white[i] * white[i] + std::log(lower(i, i)) + 0.5 * std::log(2 * M_PI);
  for (std::size_t v = 0; v < model.mean.size(); ++v) {
    Row cross(n);
    for (std::size_t i = 0; i < n; ++i) cross[i] = model.covariance(v, observed[i]);
    const Row gain = solve(cross);
    double mean = model.mean[v], variance = model.covariance(v, v);
    for (std::size_t i = 0; i < n; ++i) mean += gain[i] * white[i], variance -= gain[i] * gain[i];
    out.mean.push_back(mean);
    out.variance.push_back(variance);
  }
  return out;
}

}  // namespace postrider::dense
