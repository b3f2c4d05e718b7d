#include "encode/wide_evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "math/cholesky.h"

namespace postrider::internal {
namespace {

// o, the variance of the output's bias in units of v.
constexpr double kOutputBias = 0.1;

class WideKernel {
 public:
  WideKernel(const WideRows& rows, const WidePrior& logarithms, double slope)
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
    WidePrior out{std::vector<double>(rows_.columns)};
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
        for (std::size_t c = 0; c < rows_.columns; ++c)
          out.relevance[c] += by * 2 * squares_[c] * input(i, c) * input(j, c);
      }
    return out;
  }

 private:
  double input(std::size_t row, std::size_t column) const {
    return rows_.inputs[row * rows_.columns + column];
  }
  double noise_of(std::size_t row) const {
    return rows_.weights.empty() ? noise_ : noise_ / rows_.weights[row];
  }
  double below(std::size_t i, std::size_t j) const {
    double out = bias_;
    for (std::size_t c = 0; c < rows_.columns; ++c) out += squares_[c] * input(i, c) * input(j, c);
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

  WideRows rows_;
  double slope_;
  std::size_t size_;
  std::vector<double> below_;  // k
  std::vector<double> squares_;
  double output_ = 1, bias_ = 1, noise_ = 1;
};

}  // namespace

WideEvidence wide_evidence(const WideRows& rows, const WidePrior& logarithms, double slope) {
  const std::size_t size = rows.count();
  const WideKernel kernel(rows, logarithms, slope);
  Cholesky factor(kernel.covariance(), size);
  if (!factor.is_positive_definite())
    return {-std::numeric_limits<double>::infinity(), {std::vector<double>(rows.columns)}};
  // The derivative of log p by C is 1/2 sum over the outputs of (C^-1 y)(C^-1 y)^T - C^-1.
  const auto outputs = static_cast<double>(rows.outputs);
  std::vector<double> by_covariance = factor.inverse();
  for (double& each : by_covariance) each *= -outputs / 2;
  double value =
      -outputs / 2 *
      (factor.log_determinant() + static_cast<double>(size) * std::log(2 * std::numbers::pi));
  std::vector<double> solved(size);
  for (std::size_t o = 0; o < rows.outputs; ++o) {
    for (std::size_t i = 0; i < size; ++i) solved[i] = rows.targets[i * rows.outputs + o];
    factor.solve(solved);
    for (std::size_t i = 0; i < size; ++i) {
      value -= rows.targets[i * rows.outputs + o] * solved[i] / 2;
      for (std::size_t j = 0; j <= i; ++j) by_covariance[i * size + j] += solved[i] * solved[j] / 2;
    }
  }
  return {value, kernel.chained(by_covariance)};
}

}  // namespace postrider::internal
