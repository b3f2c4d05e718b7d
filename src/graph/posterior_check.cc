#include "graph/posterior_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace postrider::internal {
namespace {

constexpr double kReliable = 0.7;
constexpr std::size_t kFewestInTail = 5;

// log w, the largest replaced by expected order statistics of the fit; returns k.
double smooth(std::vector<double>& log_weights) {
  const std::size_t count = log_weights.size();
  const auto share = static_cast<std::size_t>(0.2 * static_cast<double>(count));
  const auto roots = static_cast<std::size_t>(3 * std::sqrt(static_cast<double>(count)));
  const std::size_t tail = std::min(share, roots);
  if (tail < kFewestInTail) return std::numeric_limits<double>::infinity();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t s) { return log_weights[s]; });
  const double cut = log_weights[order[count - tail - 1]], top = log_weights[order.back()];
  if (!std::isfinite(cut) || top - cut < 1e-10) return std::isfinite(cut) ? 0 : INFINITY;
  // In units of the largest weight.
  const double base = std::exp(cut - top);
  std::vector<double> excesses;
  for (std::size_t t = 0; t < tail; ++t)
    excesses.push_back(std::max(std::exp(log_weights[order[count - tail + t]] - top) - base,
                                std::numeric_limits<double>::min()));
  const ParetoFit fit = fit_pareto(excesses);
  if (!std::isfinite(fit.k)) return fit.k;
  for (std::size_t t = 0; t < tail; ++t) {
    const double p = (static_cast<double>(t) + 0.5) / static_cast<double>(tail);
    const double quantile = std::abs(fit.k) < 1e-12
                                ? -fit.sigma * std::log1p(-p)
                                : fit.sigma * std::expm1(-fit.k * std::log1p(-p)) / fit.k;
    log_weights[order[count - tail + t]] = std::min(top, top + std::log(base + quantile));
  }
  return fit.k;
}

}  // namespace

ParetoFit fit_pareto(std::span<const double> excesses) {
  const auto n = static_cast<double>(excesses.size());
  // A profile likelihood of theta = k/sigma on a grid, each point weighted by its likelihood.
  const auto points = static_cast<std::size_t>(30 + std::floor(std::sqrt(n)));
  const double quarter = excesses[static_cast<std::size_t>(std::floor(n / 4 + 0.5)) - 1];
  const auto k_at = [&](double theta) {
    double sum = 0;
    for (const double x : excesses) sum += std::log1p(-theta * x);
    return sum / n;
  };
  std::vector<double> thetas, log_likelihoods;
  for (std::size_t j = 0; j < points; ++j) {
    const double theta =
        1 / excesses.back() +
        (1 - std::sqrt(static_cast<double>(points) / (static_cast<double>(j) + 0.5))) /
            (3 * quarter);
    const double k = k_at(theta);
    thetas.push_back(theta);
    log_likelihoods.push_back(n * (std::log(-theta / k) - k - 1));
  }
  double mean = 0, sum = 0;
  const double top = *std::ranges::max_element(log_likelihoods);
  for (std::size_t j = 0; j < points; ++j) {
    const double weight = std::exp(log_likelihoods[j] - top);
    mean += weight * thetas[j];
    sum += weight;
  }
  const double theta = mean / sum, k = k_at(theta);
  // A prior of ten observations at a half.
  return {(k * n + 0.5 * 10) / (n + 10), -k / theta};
}

graph::Model::Check check_posterior(const WeightedDraws& of, std::size_t variables,
                                    std::size_t draws) {
  graph::Model::Check out;
  out.draws = draws;
  std::vector<double> all(draws * variables), log_weights(draws);
  const auto draw = [&](std::size_t s) { return std::span(all).subspan(s * variables, variables); };
  for (std::size_t s = 0; s < draws; ++s) of.draw(s, draw(s));
  of.log_model(all, log_weights);
  for (std::size_t s = 0; s < draws; ++s) {
    log_weights[s] -= of.log_belief(draw(s));
    if (std::isnan(log_weights[s])) log_weights[s] = -std::numeric_limits<double>::infinity();
  }
  out.pareto_k = smooth(log_weights);
  out.can_tell = out.pareto_k < kReliable;
  const double top = *std::ranges::max_element(log_weights);
  std::vector<double> weights(draws);
  double sum = 0, squares = 0;
  for (std::size_t s = 0; s < draws; ++s) sum += weights[s] = std::exp(log_weights[s] - top);
  out.log_evidence = top + std::log(sum / static_cast<double>(draws));
  for (double& weight : weights) {
    weight /= sum;
    squares += weight * weight;
  }
  out.effective_draws = 1 / squares;
  out.log_evidence_error = std::sqrt(std::max(0.0, squares - 1 / static_cast<double>(draws)));
  for (std::size_t i = 0; i < variables; ++i) {
    double mean = 0, variance = 0, of_mean = 0, of_variance = 0;
    for (std::size_t s = 0; s < draws; ++s) mean += weights[s] * all[s * variables + i];
    for (std::size_t s = 0; s < draws; ++s) {
      const double gap = all[s * variables + i] - mean;
      variance += weights[s] * gap * gap;
      of_mean += weights[s] * weights[s] * gap * gap;
    }
    for (std::size_t s = 0; s < draws; ++s) {
      const double gap = all[s * variables + i] - mean, beside = gap * gap - variance;
      of_variance += weights[s] * weights[s] * beside * beside;
    }
    out.means.push_back(mean);
    out.deviations.push_back(std::sqrt(variance));
    out.mean_errors.push_back(std::sqrt(of_mean));
    out.deviation_errors.push_back(std::sqrt(of_variance) / (2 * std::sqrt(variance)));
  }
  return out;
}

}  // namespace postrider::internal
