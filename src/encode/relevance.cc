#include "encode/relevance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/column_moments.h"
#include "encode/input_encoding.h"
#include "encode/wide_evidence.h"

namespace postrider::internal {
namespace {

// The time grows with the third power of it.
constexpr std::size_t kMostRows = 300;
// A row that hardly counts has a noise that is a number still.
constexpr double kLeastWeight = 1e-6;
// An ascent by the signs of the derivatives: each number has a step of its own, which grows while the sign stays.
constexpr std::size_t kSteps = 100;
constexpr double kFirstStep = 0.1, kLongestStep = 1, kShortestStep = 1e-3;
constexpr double kGrowth = 1.3, kShrinking = 0.5;

// Logarithms are Gaussian beforehand.
struct LogPrior {
  double mean, deviation;

  double value(double x) const { return -0.5 * (x - mean) / deviation * (x - mean) / deviation; }
  double slope(double x) const { return -(x - mean) / deviation / deviation; }
};
constexpr LogPrior kRelevance{-0.5, 2}, kOutput{0, 2}, kBias{0, 2}, kNoise{-4, 3};

// Calls visit(number, prior, derivative) for all numbers of a prior.
template <class Visit>
void for_each(WidePrior& numbers, WidePrior& gradient, Visit&& visit) {
  std::size_t place = 0;
  for (std::size_t c = 0; c < numbers.relevance.size(); ++c)
    visit(place++, numbers.relevance[c], kRelevance, gradient.relevance[c]);
  visit(place++, numbers.output, kOutput, gradient.output);
  visit(place++, numbers.bias, kBias, gradient.bias);
  visit(place++, numbers.noise, kNoise, gradient.noise);
}

// What the targets and the priors say together, and its derivatives.
WideEvidence posterior_at(const WideRows& rows, WidePrior& at, double slope) {
  WideEvidence out = wide_evidence(rows, at, slope);
  for_each(at, out.gradient, [&](std::size_t, double number, const LogPrior& prior, double& by) {
    out.value += prior.value(number);
    by += prior.slope(number);
  });
  return out;
}

WidePrior most_probable(const WideRows& rows, double slope) {
  WidePrior at{std::vector<double>(rows.columns, kRelevance.mean), kOutput.mean, kBias.mean, -3};
  WidePrior best = at;
  double best_value = -std::numeric_limits<double>::infinity();
  std::vector<double> steps(rows.columns + 3, kFirstStep), before(steps.size(), 0);
  for (std::size_t k = 0; k < kSteps; ++k) {
    WideEvidence found = posterior_at(rows, at, slope);
    if (found.value > best_value) {
      best_value = found.value;
      best = at;
    }
    if (!std::isfinite(found.value)) break;
    for_each(at, found.gradient,
             [&](std::size_t place, double& number, const LogPrior&, double by) {
               double& step = steps[place];
               const double agrees = by * before[place];
               if (agrees > 0) step = std::min(step * kGrowth, kLongestStep);
               if (agrees < 0) step = std::max(step * kShrinking, kShortestStep);
               // After a change of sign it waits once.
               before[place] = agrees < 0 ? 0 : by;
               if (agrees >= 0) number += by > 0 ? step : by < 0 ? -step : 0;
             });
  }
  return best;
}

// All rows, or some at even distances.
std::vector<std::size_t> rows_to_look_at(std::size_t rows) {
  std::vector<std::size_t> out;
  const std::size_t count = std::min(kMostRows, rows);
  for (std::size_t k = 0; k < count; ++k) out.push_back(k * rows / count);
  return out;
}

std::vector<double> standardised_inputs(const Inputs& rows,
                                        const std::vector<ColumnEncoding>& columns,
                                        const std::vector<std::size_t>& sample) {
  const std::size_t width = columns.size();
  std::vector<double> out(sample.size() * width);
  for (std::size_t i = 0; i < out.size(); ++i)  // of a zero that sparse rows leave out
    out[i] = -columns[i % width].mean / columns[i % width].unit;
  std::size_t k = 0;
  rows.for_each(width, [&](std::size_t row, std::size_t c, double x) {
    while (k < sample.size() && sample[k] < row) ++k;
    if (k < sample.size() && sample[k] == row)
      out[k * width + c] = std::isnan(x) ? 0 : (x - columns[c].mean) / columns[c].unit;
  });
  return out;
}

// Columns of targets with mean 0 and standard deviation 1; of classes, whether each is the one.
std::vector<double> standardised_targets(const TargetsToTell& targets,
                                         const std::vector<std::size_t>& sample,
                                         std::size_t& outputs) {
  std::vector<double> out;
  outputs = targets.classes > 2 ? targets.classes : targets.classes == 2 ? 1 : targets.outputs;
  for (const std::size_t row : sample)
    for (std::size_t o = 0; o < outputs; ++o)
      out.push_back(targets.classes == 0   ? targets.values[row * outputs + o]
                    : targets.classes == 2 ? targets.values[row]
                                           : targets.values[row] == static_cast<double>(o));
  return scales_of(out, outputs).standardised(out);
}

}  // namespace

std::vector<ColumnEncoding> relevance_encodings(const Inputs& rows, std::size_t columns,
                                                const TargetsToTell& targets, double slope) {
  std::vector<ColumnEncoding> out;
  for (const ColumnMoment& moment : column_moments(rows, columns, targets.weights))
    out.push_back(standard_encoding(moment));
  const std::vector<std::size_t> sample = rows_to_look_at(targets.rows());
  const std::vector<double> inputs = standardised_inputs(rows, out, sample);
  std::size_t outputs = 1;
  const std::vector<double> wanted = standardised_targets(targets, sample, outputs);
  std::vector<double> weights;
  if (!targets.weights.empty())
    for (const std::size_t row : sample)
      weights.push_back(std::max(targets.weights[row], kLeastWeight));
  const WidePrior found = most_probable({inputs, wanted, columns, outputs, weights}, slope);
  for (std::size_t c = 0; c < columns; ++c) {
    out[c].kind = Encoding::relevance;
    out[c].unit /= std::exp(found.relevance[c]);
  }
  return out;
}

}  // namespace postrider::internal
