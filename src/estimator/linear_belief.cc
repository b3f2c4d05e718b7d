#include "estimator/linear_belief.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

std::vector<double> means_of(std::span<const Gaussian> priors, double scale) {
  std::vector<double> out;
  for (const Gaussian& prior : priors) out.push_back(scale * prior.mean());
  return out;
}

std::vector<double> stds_of(std::span<const Gaussian> priors, double scale) {
  std::vector<double> out;
  for (const Gaussian& prior : priors) out.push_back(scale * prior.std());
  return out;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// sum p h (h m), from the lower half.
std::vector<double> times(const std::vector<double>& products, std::span<const double> m) {
  const std::size_t width = m.size();
  std::vector<double> out(width, 0.0);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      out[i] += products[i * width + j] * m[j];
      if (j < i) out[j] += products[i * width + j] * m[i];
    }
  return out;
}

// C, of which the lower half is filled.
std::vector<double> precision_of(std::span<const double> stds, const LinearSums& sums,
                                 double scale) {
  const std::size_t width = stds.size();
  std::vector<double> out(width * width, 0.0);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      out[i * width + j] =
          (i == j ? 1 : 0) + scale * stds[i] * stds[j] * sums.products[i * width + j];
  return out;
}

}  // namespace

LinearSums::LinearSums(const Examples& rows)
    : products(rows.columns() * rows.columns(), 0.0), told(rows.columns(), 0.0) {
  const std::size_t width = rows.columns();
  for (std::size_t row = 0; row < rows.targets.size(); ++row) {
    const double target = rows.targets[row], precision = rows.sample_weights[row];
    if (std::isnan(target)) continue;
    const double* inputs = rows.inputs.values().data() + row * width;
    for (std::size_t i = 0; i < width; ++i) {
      const double factor = precision * inputs[i];
      told[i] += factor * target;
      for (std::size_t j = 0; j <= i; ++j) products[i * width + j] += factor * inputs[j];
    }
    squares += precision * target * target;
    count += 1;
  }
}

LinearBelief::LinearBelief(std::span<const Gaussian> priors, const LinearSums& sums,
                           LinearScales scales)
    : prior_means_(means_of(priors, scales.prior)),
      prior_stds_(stds_of(priors, scales.prior)),
      mean_(priors.size()),
      precision_(precision_of(prior_stds_, sums, scales.precision), priors.size()) {
  if (!precision_.is_positive_definite())
    throw Error("rows and targets are too large for a function to be drawn that has learned them");
  const std::vector<double> expected = times(sums.products, prior_means_);
  for (std::size_t j = 0; j < mean_.size(); ++j)
    mean_[j] = scales.precision * prior_stds_[j] * (sums.told[j] - expected[j]);
  const std::vector<double> told(mean_);
  precision_.solve(mean_);
  const double left = sums.squares - 2 * dot(sums.told, prior_means_) + dot(expected, prior_means_);
  log_evidence_ = 0.5 * (sums.count * std::log(scales.precision) - scales.precision * left +
                         dot(told, mean_) - precision_.log_determinant());
}

std::vector<double> LinearBelief::weights_at(std::span<const double> u) const {
  std::vector<double> out(prior_means_);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += prior_stds_[j] * u[j];
  return out;
}

std::vector<double> LinearBelief::mean() const { return weights_at(mean_); }

std::vector<double> LinearBelief::draw(RandomStream& random) const {
  std::vector<double> u(mean_.size());
  for (double& each : u) each = random.normal();
  precision_.solve_mirrored(u);  // L^-T z has the covariance C^-1
  for (std::size_t j = 0; j < u.size(); ++j) u[j] += mean_[j];
  return weights_at(u);
}

}  // namespace postrider::internal
