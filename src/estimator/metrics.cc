#include "postrider/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "postrider/error.h"
#include "postrider/gaussian.h"

namespace postrider {
namespace {

constexpr std::size_t kLevels = 99;
constexpr double kLeastProbability = 1e-15;
constexpr double kLeastRelative =
    0.05;  // of the mean: smaller targets make relative errors of nothing
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

void expect_rows(const char* field, std::size_t found, std::size_t wanted) {
  if (wanted == 0) reject("targets", wanted, "must hold at least one row");
  if (found != wanted) reject(field, found, "must be as many as the targets");
}

void expect_rows(const Predicted& predicted, std::span<const double> targets) {
  expect_rows("mean", predicted.mean.size(), targets.size());
  expect_rows("variance", predicted.variance.size(), targets.size());
}

// Over rows.
template <class Term>
double mean_of(std::size_t rows, Term&& term) {
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) sum += term(i);
  return sum / static_cast<double>(rows);
}

double square(double x) { return x * x; }

// The number of classes.
std::size_t columns_of_probabilities(std::span<const double> probabilities,
                                     std::span<const std::size_t> labels) {
  if (labels.empty()) reject("labels", labels.size(), "must hold at least one row");
  if (probabilities.empty() || probabilities.size() % labels.size() != 0)
    reject("probabilities", probabilities.size(),
           "must hold the same number of classes for every label");
  const std::size_t classes = probabilities.size() / labels.size();
  for (const std::size_t label : labels)
    if (label >= classes) reject("labels", label, "must be below the number of classes");
  return classes;
}

struct Guess {
  std::size_t label;
  double probability;
};
Guess most_probable(std::span<const double> row) {
  const auto best = std::ranges::max_element(row);
  return {static_cast<std::size_t>(best - row.begin()), *best};
}

}  // namespace

Estimate mean_estimate(std::span<const double> terms) {
  const auto count = static_cast<double>(terms.size());
  double sum = 0, squares = 0;
  for (const double term : terms) sum += term;
  const double mean = sum / count;
  for (const double term : terms) squares += (term - mean) * (term - mean);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : 0};
}

// With R = mean(a)/mean(b): to first order R moves by the mean of (a - R b)/mean(b).
Estimate ratio_estimate(std::span<const double> terms, std::span<const double> of) {
  expect_rows("terms", terms.size(), of.size());
  const double below = mean_estimate(of).value;
  if (below == 0) return {kNoNumber, kNoNumber};
  const double ratio = mean_estimate(terms).value / below;
  std::vector<double> moves;
  for (std::size_t i = 0; i < of.size(); ++i) moves.push_back((terms[i] - ratio * of[i]) / below);
  return {ratio, mean_estimate(moves).standard_error};
}

double root_mean_square_error(std::span<const double> mean, std::span<const double> targets) {
  expect_rows("mean", mean.size(), targets.size());
  return std::sqrt(
      mean_of(targets.size(), [&](std::size_t i) { return square(targets[i] - mean[i]); }));
}

double log_likelihood(const Predicted& predicted, std::span<const double> targets) {
  expect_rows(predicted, targets);
  return mean_of(targets.size(), [&](std::size_t i) {
    return Gaussian::from_moments(predicted.mean[i], predicted.variance[i]).log_density(targets[i]);
  });
}

Estimate explained_variance(std::span<const double> mean, std::span<const double> targets) {
  expect_rows("mean", mean.size(), targets.size());
  const double centre = mean_of(targets.size(), [&](std::size_t i) { return targets[i]; });
  std::vector<double> errors, spreads;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    errors.push_back(square(targets[i] - mean[i]));
    spreads.push_back(square(targets[i] - centre));
  }
  const Estimate left = ratio_estimate(errors, spreads);
  return {1 - left.value, left.standard_error};
}

bool relative_errors_make_sense(std::span<const double> targets) {
  if (targets.empty()) return false;
  const double sign = targets.front() < 0 ? -1 : 1;
  const double size =
      sign * mean_of(targets.size(), [&](std::size_t i) { return targets[i]; }) * kLeastRelative;
  return size > 0 &&
         std::ranges::all_of(targets, [&](double target) { return sign * target >= size; });
}

Estimate mean_absolute_percentage_error(std::span<const double> mean,
                                        std::span<const double> targets) {
  expect_rows("mean", mean.size(), targets.size());
  std::vector<double> terms;
  for (std::size_t i = 0; i < targets.size(); ++i)
    terms.push_back(std::abs((targets[i] - mean[i]) / targets[i]));
  return mean_estimate(terms);
}

Estimate pinball_loss(std::span<const double> quantiles, std::span<const double> targets,
                      double probability) {
  expect_rows("quantiles", quantiles.size(), targets.size());
  if (!(probability > 0 && probability < 1))
    reject("probability", probability, "must be above 0 and below 1");
  std::vector<double> terms;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double above = targets[i] - quantiles[i];
    terms.push_back(above * (above < 0 ? probability - 1 : probability));
  }
  return mean_estimate(terms);
}

// With u = (target - mean)/s: s (u (2 Phi(u) - 1) + 2 phi(u) - 1/sqrt(pi)), by Gneiting and Raftery.
double crps(const Predicted& predicted, std::span<const double> targets) {
  expect_rows(predicted, targets);
  return mean_of(targets.size(), [&](std::size_t i) {
    const double s = std::sqrt(predicted.variance[i]);
    const double u = (targets[i] - predicted.mean[i]) / s;
    const double twice_density =
        std::numbers::sqrt2 * std::numbers::inv_sqrtpi * std::exp(-0.5 * u * u);
    return s * (u * std::erf(u / std::numbers::sqrt2) + twice_density - std::numbers::inv_sqrtpi);
  });
}

std::vector<double> coverage(const Predicted& predicted, std::span<const double> targets,
                             std::span<const double> levels) {
  expect_rows(predicted, targets);
  // The probability of the smallest central interval that reaches each target.
  std::vector<double> needed;
  for (std::size_t i = 0; i < targets.size(); ++i)
    needed.push_back(
        std::erf(std::abs(targets[i] - predicted.mean[i]) / std::sqrt(2 * predicted.variance[i])));
  std::ranges::sort(needed);
  std::vector<double> out;
  for (const double level : levels) {
    const auto inside = std::ranges::upper_bound(needed, level) - needed.begin();
    out.push_back(static_cast<double>(inside) / static_cast<double>(needed.size()));
  }
  return out;
}

std::vector<double> calibration_levels() {
  std::vector<double> out;
  for (std::size_t i = 1; i <= kLevels; ++i)
    out.push_back(static_cast<double>(i) / static_cast<double>(kLevels + 1));
  return out;
}

double calibration_error(const Predicted& predicted, std::span<const double> targets) {
  return calibration_error(coverage(predicted, targets, calibration_levels()));
}

double calibration_error(std::span<const double> covered) {
  const std::vector<double> levels = calibration_levels();
  if (covered.size() != levels.size())
    reject("covered", covered.size(), "must be the coverage at calibration_levels()");
  return mean_of(levels.size(), [&](std::size_t i) { return covered[i] - levels[i]; });
}

double accuracy(std::span<const double> probabilities, std::span<const std::size_t> labels) {
  const std::size_t classes = columns_of_probabilities(probabilities, labels);
  return mean_of(labels.size(), [&](std::size_t i) {
    return most_probable(probabilities.subspan(i * classes, classes)).label == labels[i] ? 1.0
                                                                                         : 0.0;
  });
}

double log_loss(std::span<const double> probabilities, std::span<const std::size_t> labels) {
  const std::size_t classes = columns_of_probabilities(probabilities, labels);
  return -mean_of(labels.size(), [&](std::size_t i) {
    return std::log(std::max(kLeastProbability, probabilities[i * classes + labels[i]]));
  });
}

double expected_calibration_error(std::span<const double> probabilities,
                                  std::span<const std::size_t> labels, std::size_t bins) {
  if (bins == 0) reject("bins", bins, "must be at least 1");
  const std::size_t classes = columns_of_probabilities(probabilities, labels);
  // Per bin: the sum of probability minus whether it was right.
  std::vector<double> excess(bins);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [label, probability] = most_probable(probabilities.subspan(i * classes, classes));
    const auto bin = static_cast<std::size_t>(probability * static_cast<double>(bins));
    excess[std::min(bin, bins - 1)] += probability - (label == labels[i] ? 1 : 0);
  }
  double sum = 0;
  for (const double x : excess) sum += std::abs(x);
  return sum / static_cast<double>(labels.size());
}

double area_under_curve(std::span<const double> lower, std::span<const double> higher) {
  if (lower.empty()) reject("lower", lower.size(), "must hold at least one value");
  if (higher.empty()) reject("higher", higher.size(), "must hold at least one value");
  std::vector<double> sorted(lower.begin(), lower.end());
  std::ranges::sort(sorted);
  const double below = mean_of(higher.size(), [&](std::size_t i) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), higher[i]);
    return static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
  });
  return below / static_cast<double>(sorted.size());
}

}  // namespace postrider
