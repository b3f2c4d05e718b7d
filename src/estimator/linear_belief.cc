#include "estimator/linear_belief.h"

#include <cmath>

#include "postrider/error.h"

namespace postrider {
namespace {

std::vector<double> means_of(std::span<const Gaussian> priors) {
  std::vector<double> out;
  for (const Gaussian& prior : priors) out.push_back(prior.mean());
  return out;
}

std::vector<double> stds_of(std::span<const Gaussian> priors) {
  std::vector<double> out;
  for (const Gaussian& prior : priors) out.push_back(prior.std());
  return out;
}

// C, of which the lower half is filled, and sum p (s h)(y - h m) into `told`.
std::vector<double> precision_of(std::span<const double> means, std::span<const double> stds,
                                 const LinearRows& rows, std::vector<double>& told) {
  const std::size_t width = means.size();
  std::vector<double> out(width * width, 0.0), scaled(width);
  for (std::size_t j = 0; j < width; ++j) out[j * width + j] = 1;
  told.assign(width, 0);
  for (std::size_t row = 0; row < rows.targets.size(); ++row) {
    if (std::isnan(rows.targets[row])) continue;
    const double* inputs = rows.inputs.data() + row * width;
    double left = rows.targets[row];
    for (std::size_t j = 0; j < width; ++j) {
      left -= inputs[j] * means[j];
      scaled[j] = inputs[j] * stds[j];
    }
    for (std::size_t i = 0; i < width; ++i) {
      const double factor = rows.precisions[row] * scaled[i];
      told[i] += factor * left;
      for (std::size_t j = 0; j <= i; ++j) out[i * width + j] += factor * scaled[j];
    }
  }
  return out;
}

}  // namespace

LinearBelief::LinearBelief(std::span<const Gaussian> priors, const LinearRows& rows)
    : prior_means_(means_of(priors)),
      prior_stds_(stds_of(priors)),
      precision_(precision_of(prior_means_, prior_stds_, rows, mean_), priors.size()) {
  if (!precision_.is_positive_definite())
    throw Error("rows and targets are too large for a function to be drawn that has learned them");
  precision_.solve(mean_);
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

}  // namespace postrider
