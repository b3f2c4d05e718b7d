#include "encode/relevance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/standardise.h"
#include "encode/input_encoding.h"
#include "math/cholesky.h"

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
WideEvidence posterior_at(const Examples& rows, WidePrior& at, double slope) {
  WideEvidence out = wide_evidence(rows, at, slope);
  for_each(at, out.gradient, [&](std::size_t, double number, const LogPrior& prior, double& by) {
    out.value += prior.value(number);
    by += prior.slope(number);
  });
  return out;
}

WidePrior most_probable(const Examples& rows, double slope) {
  WidePrior at{std::vector<double>(rows.columns(), kRelevance.mean), kOutput.mean, kBias.mean, -3};
  WidePrior best = at;
  double best_value = -std::numeric_limits<double>::infinity();
  std::vector<double> steps(rows.columns() + 3, kFirstStep), before(steps.size(), 0);
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
  rows.for_each([&](std::size_t row, std::size_t c, double x) {
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
  return scales_of(Inputs(out).of_columns(outputs)).standardised(out);
}

}  // namespace

std::vector<ColumnEncoding> relevance_encodings(const Inputs& rows, const TargetsToTell& targets,
                                                double slope) {
  std::vector<ColumnEncoding> out;
  for (const ColumnMoment& moment : column_moments(rows, targets.weights))
    out.push_back(standard_encoding(moment));
  const std::vector<std::size_t> sample = rows_to_look_at(targets.rows());
  const std::vector<double> inputs = standardised_inputs(rows, out, sample);
  std::size_t outputs = 1;
  const std::vector<double> wanted = standardised_targets(targets, sample, outputs);
  std::vector<double> weights;
  if (!targets.weights.empty())
    for (const std::size_t row : sample)
      weights.push_back(std::max(targets.weights[row], kLeastWeight));
  const WidePrior found =
      most_probable({Inputs(inputs, sample.size(), rows.columns()), wanted, weights}, slope);
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c].kind = Encoding::relevance;
    out[c].unit /= std::exp(found.relevance[c]);
  }
  return out;
}

namespace {

// o, the variance of the output's bias in units of v.
constexpr double kOutputBias = 0.1;

class WideKernel {
 public:
  WideKernel(const Examples& rows, const WidePrior& logarithms, double slope)
      : rows_(rows), slope_(slope), size_(rows.count()), below_(size_ * size_) {
    for (const double each : logarithms.relevance) squares_.push_back(std::exp(2 * each));
    output_ = std::exp(logarithms.output);
    bias_ = std::exp(logarithms.bias);
    noise_ = std::exp(logarithms.noise);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j <= i; ++j) below_[i * size_ + j] = below(i, j);
  }

  // C, of which the lower half is used.
  std::vector<double> covariance() const {
    std::vector<double> out(below_.size());
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        out[i * size_ + j] = output_ * (2 * expected(i, j) + kOutputBias);
      out[i * size_ + i] += noise_of(i);
    }
    return out;
  }

  // From derivatives of a function of C by its elements in the lower half, of which those beside the diagonal count twice.
  WidePrior chained(std::span<const double> by_covariance) const {
    WidePrior out{std::vector<double>(rows_.columns())};
    // By k_ij: those of the lower half, with its mirror image.
    std::vector<double> by_below(below_.size());
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double by = (i == j ? 1 : 2) * by_covariance[i * size_ + j];
        out.output += by * output_ * (2 * expected(i, j) + kOutputBias);
        if (i == j) out.noise += by * noise_of(i);
        add_slopes(i, j, 2 * output_ * by, by_below);
      }
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double by = by_below[i * size_ + j];
        out.bias += by * bias_;
        for (std::size_t c = 0; c < rows_.columns(); ++c)
          out.relevance[c] += by * 2 * squares_[c] * input(i, c) * input(j, c);
      }
    return out;
  }

 private:
  double input(std::size_t row, std::size_t column) const {
    return rows_.inputs.values()[row * rows_.columns() + column];
  }
  double noise_of(std::size_t row) const {
    return rows_.sample_weights.empty() ? noise_ : noise_ / rows_.sample_weights[row];
  }
  double below(std::size_t i, std::size_t j) const {
    double out = bias_;
    for (std::size_t c = 0; c < rows_.columns(); ++c)
      out += squares_[c] * input(i, c) * input(j, c);
    return out;
  }
  // sqrt(k_ii k_jj)
  double scale(std::size_t i, std::size_t j) const {
    return std::sqrt(below_[i * size_ + i] * below_[j * size_ + j]);
  }
  // t, exact on the diagonal, where rounding would make it a small angle.
  double angle(std::size_t i, std::size_t j) const {
    if (i == j) return 0;
    return std::acos(std::clamp(below_[i * size_ + j] / scale(i, j), -1.0, 1.0));
  }
  double expected(std::size_t i, std::size_t j) const {
    const double k = below_[i * size_ + j], t = angle(i, j), rest = 1 - slope_;
    const double rectified =
        (scale(i, j) * std::sin(t) + (std::numbers::pi - t) * k) / (2 * std::numbers::pi);
    return slope_ * k + rest * rest * rectified;
  }
  // by * the derivatives of E[phi phi]: by k_ij a + (1 - a)^2 (pi - t)/(2 pi), by k_ii (1 - a)^2 sin t sqrt(k_jj/k_ii)/(4 pi).
  void add_slopes(std::size_t i, std::size_t j, double by, std::vector<double>& by_below) const {
    const double t = angle(i, j), rest = (1 - slope_) * (1 - slope_);
    const double ii = below_[i * size_ + i], jj = below_[j * size_ + j];
    by_below[i * size_ + j] +=
        by * (slope_ + rest * (std::numbers::pi - t) / (2 * std::numbers::pi));
    const double own = by * rest * std::sin(t) / (4 * std::numbers::pi);
    by_below[i * size_ + i] += own * std::sqrt(jj / ii);
    by_below[j * size_ + j] += own * std::sqrt(ii / jj);
  }

  Examples rows_;
  double slope_;
  std::size_t size_;
  std::vector<double> below_;  // k
  std::vector<double> squares_;
  double output_ = 1, bias_ = 1, noise_ = 1;
};

}  // namespace

WideEvidence wide_evidence(const Examples& rows, const WidePrior& logarithms, double slope) {
  const std::size_t size = rows.count();
  const WideKernel kernel(rows, logarithms, slope);
  Cholesky factor(kernel.covariance(), size);
  if (!factor.is_positive_definite())
    return {-std::numeric_limits<double>::infinity(), {std::vector<double>(rows.columns())}};
  // The derivative of log p by C is 1/2 sum over the outputs of (C^-1 y)(C^-1 y)^T - C^-1.
  const std::size_t count = rows.targets.size() / size;
  const auto outputs = static_cast<double>(count);
  std::vector<double> by_covariance = factor.inverse();
  for (double& each : by_covariance) each *= -outputs / 2;
  double value =
      -outputs / 2 *
      (factor.log_determinant() + static_cast<double>(size) * std::log(2 * std::numbers::pi));
  std::vector<double> solved(size);
  for (std::size_t o = 0; o < count; ++o) {
    for (std::size_t i = 0; i < size; ++i) solved[i] = rows.targets[i * count + o];
    factor.solve(solved);
    for (std::size_t i = 0; i < size; ++i) {
      value -= rows.targets[i * count + o] * solved[i] / 2;
      for (std::size_t j = 0; j <= i; ++j) by_covariance[i * size + j] += solved[i] * solved[j] / 2;
    }
  }
  return {value, kernel.chained(by_covariance)};
}

}  // namespace postrider::internal
