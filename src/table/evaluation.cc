#include "postrider/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/random.h"
#include "postrider/gaussian.h"
#include "postrider/metrics.h"

namespace postrider {
using namespace internal;
namespace {

constexpr std::array kLevels{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
constexpr std::size_t kBins = 15;
constexpr std::size_t kResamples = 100;  // a standard error within about 7 %
constexpr std::uint64_t kSeed = 1;
// Quantiles of a standard Gaussian, at kPinballProbabilities.
constexpr std::array kPinballQuantiles{-1.6448536269514722, 0.0, 1.6448536269514722};

// One term for each row.
template <class Term>
std::vector<double> terms_of(std::size_t rows, Term&& term) {
  std::vector<double> out;
  out.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) out.push_back(term(row));
  return out;
}

// The mean difference of logarithms of densities.
Estimate gain(const std::vector<double>& of, const std::vector<double>& over) {
  return mean_estimate(terms_of(of.size(), [&](std::size_t row) { return of[row] - over[row]; }));
}

struct Bin {
  double rows = 0, confidence = 0, right = 0;  // sums
};

struct Guess {
  std::size_t bin;
  double confidence, right;
};

double error_of(std::span<const Bin> bins, double rows) {
  double out = 0;
  for (const Bin& bin : bins) out += std::abs(bin.confidence - bin.right) / rows;
  return out;
}

// The expected calibration error is no mean over rows: its standard error is that of rows drawn again.
double resampled_error(std::span<const Guess> guesses) {
  RandomStream random(kSeed, 0);
  const auto rows = static_cast<double>(guesses.size());
  const std::vector<double> errors = terms_of(kResamples, [&](std::size_t) {
    std::array<Bin, kBins> bins{};
    for (std::size_t k = 0; k < guesses.size(); ++k) {
      const Guess& guess = guesses[random.below(guesses.size())];
      bins[guess.bin].confidence += guess.confidence;
      bins[guess.bin].right += guess.right;
    }
    return error_of(bins, rows);
  });
  return mean_estimate(errors).standard_error * std::sqrt(static_cast<double>(kResamples));
}

std::vector<Guess> guesses_of(std::span<const double> probabilities,
                              std::span<const std::size_t> labels) {
  const std::size_t classes = probabilities.size() / labels.size();
  std::vector<Guess> out;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto of_row = probabilities.subspan(row * classes, classes);
    const auto best = std::ranges::max_element(of_row);
    const auto bin = static_cast<std::size_t>(*best * static_cast<double>(kBins));
    out.push_back({std::min(bin, kBins - 1), *best,
                   static_cast<std::size_t>(best - of_row.begin()) == labels[row] ? 1.0 : 0.0});
  }
  return out;
}

std::vector<TableEvaluation::Bin> bins_of(std::span<const Guess> guesses) {
  std::array<Bin, kBins> sums{};
  for (const Guess& guess : guesses) {
    sums[guess.bin].rows += 1;
    sums[guess.bin].confidence += guess.confidence;
    sums[guess.bin].right += guess.right;
  }
  std::vector<TableEvaluation::Bin> out;
  constexpr auto kCount = static_cast<double>(kBins);
  for (std::size_t b = 0; b < kBins; ++b) {
    const Bin& bin = sums[b];
    TableEvaluation::Bin& to = out.emplace_back();
    to.low = static_cast<double>(b) / kCount;
    to.high = static_cast<double>(b + 1) / kCount;
    to.rows = static_cast<std::size_t>(bin.rows);
    if (bin.rows == 0) continue;
    to.confidence = bin.confidence / bin.rows;
    to.accuracy = bin.right / bin.rows;
  }
  return out;
}

// For two classes that of the second, for more the mean over those that have it. The standard error of the mean is that
// of independent classes, which is too large where one row says something about several.
Estimate over_classes(const std::vector<ClassMetrics>& classes, Estimate ClassMetrics::*figure) {
  if (classes.size() == 2) return classes[1].*figure;
  Estimate out{0, 0};
  double count = 0;
  for (const ClassMetrics& each : classes) {
    if (std::isnan((each.*figure).value)) continue;
    out.value += (each.*figure).value;
    out.standard_error = std::hypot(out.standard_error, (each.*figure).standard_error);
    ++count;
  }
  return {out.value / count, out.standard_error / count};
}

}  // namespace

TableEvaluation evaluate_numbers(const TableEvaluation::Numbers& predicted) {
  const std::size_t rows = predicted.targets.size();
  const auto distance = [&](std::size_t row) {
    return std::abs(predicted.targets[row] - predicted.mean[row]);
  };
  TableEvaluation out;
  out.rows = rows;
  const Estimate square =
      mean_estimate(terms_of(rows, [&](std::size_t row) { return distance(row) * distance(row); }));
  const double root = std::sqrt(square.value);
  // To first order in the error of the mean square.
  out.root_mean_square_error = {root, root > 0 ? square.standard_error / (2 * root) : 0};
  out.mean_absolute_error = mean_estimate(terms_of(rows, distance));
  out.log_likelihood = mean_estimate(predicted.log_density);
  out.crps = mean_estimate(terms_of(rows, [&](std::size_t row) {
    const double variance = predicted.std[row] * predicted.std[row];
    return crps({{&predicted.mean[row], 1}, {&variance, 1}}, {&predicted.targets[row], 1});
  }));
  for (const double level : kLevels)
    out.coverage.push_back({level, mean_estimate(terms_of(rows, [&](std::size_t row) {
                              return predicted.levels[row] < level ? 1.0 : 0.0;
                            }))});
  out.explained_variance = explained_variance(predicted.mean, predicted.targets);
  if (relative_errors_make_sense(predicted.targets))
    out.mean_absolute_percentage_error =
        mean_absolute_percentage_error(predicted.mean, predicted.targets);
  constexpr std::size_t kQuantiles = kPinballProbabilities.size();
  if (predicted.quantiles.size() == rows * kQuantiles)
    for (std::size_t q = 0; q < kQuantiles; ++q)
      out.pinball.push_back(
          {kPinballProbabilities[q],
           pinball_loss(
               terms_of(rows,
                        [&](std::size_t row) { return predicted.quantiles[row * kQuantiles + q]; }),
               predicted.targets, kPinballProbabilities[q])});
  return out;
}

TableEvaluation::Numbers predicted_numbers(const Distributions& predicted,
                                           std::vector<double> targets) {
  TableEvaluation::Numbers out;
  Forecast moments = predicted.moments();
  out.mean = std::move(moments.mean);
  for (const double variance : moments.variance) out.std.push_back(std::sqrt(variance));
  out.levels = predicted.levels(targets);
  out.log_density = predicted.log_densities(targets);
  out.quantiles = predicted.quantiles(kPinballProbabilities);
  out.targets = std::move(targets);
  return out;
}

TableEvaluation::Numbers gaussian_numbers(std::vector<double> targets, std::vector<double> mean,
                                          std::vector<double> std) {
  TableEvaluation::Numbers out;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    out.levels.push_back(
        std::erf(std::abs(targets[row] - mean[row]) / (std[row] * std::numbers::sqrt2)));
    out.log_density.push_back(
        Gaussian::from_moments(mean[row], std[row] * std[row]).log_density(targets[row]));
    for (const double quantile : kPinballQuantiles)
      out.quantiles.push_back(mean[row] + std[row] * quantile);
  }
  out.targets = std::move(targets);
  out.mean = std::move(mean);
  out.std = std::move(std);
  return out;
}

std::vector<double> log_probabilities(std::span<const double> probabilities,
                                      std::span<const std::size_t> labels) {
  const std::size_t classes = probabilities.size() / labels.size();
  return terms_of(labels.size(), [&](std::size_t row) {
    return -log_loss(probabilities.subspan(row * classes, classes), {&labels[row], 1});
  });
}

TableEvaluation evaluate_classes(std::span<const double> probabilities,
                                 std::span<const std::size_t> labels) {
  const std::size_t rows = labels.size();
  const std::vector<Guess> guesses = guesses_of(probabilities, labels);
  TableEvaluation out;
  out.rows = rows;
  const std::vector<double> found = log_probabilities(probabilities, labels);
  out.log_loss = mean_estimate(terms_of(rows, [&](std::size_t row) { return -found[row]; }));
  out.accuracy = mean_estimate(terms_of(rows, [&](std::size_t row) { return guesses[row].right; }));
  out.brier = brier_score(probabilities, labels);
  out.by_class = class_metrics(probabilities, labels);
  out.area_under_curve = over_classes(out.by_class, &ClassMetrics::area_under_curve);
  out.average_precision = over_classes(out.by_class, &ClassMetrics::average_precision);
  out.expected_calibration_error = {expected_calibration_error(probabilities, labels, kBins),
                                    resampled_error(guesses)};
  out.bins = bins_of(guesses);
  return out;
}

TableEvaluation::Baseline baseline_of_numbers(std::string name,
                                              const TableEvaluation::Numbers& model,
                                              const TableEvaluation::Numbers& simple) {
  return {std::move(name), evaluate_numbers(simple), gain(model.log_density, simple.log_density)};
}

TableEvaluation::Baseline baseline_of_classes(std::string name, std::span<const double> model,
                                              std::span<const double> simple,
                                              std::span<const std::size_t> labels) {
  return {std::move(name), evaluate_classes(simple, labels),
          gain(log_probabilities(model, labels), log_probabilities(simple, labels))};
}

}  // namespace postrider
