#include "table/linear_fit.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {
namespace {

// Newton's steps, each solved by conjugate gradients: no matrix of inputs by inputs is ever made.
constexpr std::size_t kMostSteps = 30, kMostGradients = 200;
constexpr double kSolved = 1e-8;  // of the gradient at the start, when steps end
constexpr double kForcing = 0.1;  // of a step's gradient, when its solution is good enough
constexpr std::size_t kHalvings = 20;

using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// a + factor b
Numbers moved(const Numbers& a, double factor, const Numbers& b) {
  Numbers out = a;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += factor * b[i];
  return out;
}

// Columns less their means, over their standard deviations, and a column of ones behind them.
class StandardisedRows {
 public:
  StandardisedRows(const SparseInputs& inputs, std::span<const double> weights, std::size_t outputs)
      : inputs_(inputs), values_(inputs.values), outputs_(outputs) {
    find_scales(weights);
    for (std::size_t at = 0; at < values_.size(); ++at)
      if (std::isnan(values_[at])) values_[at] = centres_[inputs.places[at]];
  }

  std::size_t columns() const { return inputs_.columns; }
  std::size_t size() const { return (columns() + 1) * outputs_; }
  const Numbers& centres() const { return centres_; }
  double scale(std::size_t column) const { return scales_[column]; }

  // Rows times coefficients, of which those of the ones are the last.
  Numbers forward(const Numbers& coefficients) const {
    Numbers scaled = coefficients, offsets(outputs_);
    for (std::size_t k = 0; k < outputs_; ++k) offsets[k] = coefficients[columns() * outputs_ + k];
    for (std::size_t j = 0; j < columns(); ++j)
      for (std::size_t k = 0; k < outputs_; ++k) {
        scaled[j * outputs_ + k] *= scales_[j];
        offsets[k] -= centres_[j] * scaled[j * outputs_ + k];
      }
    Numbers out(inputs_.rows() * outputs_);
    for (std::size_t row = 0; row < inputs_.rows(); ++row) {
      double* const to = out.data() + row * outputs_;
      std::copy(offsets.begin(), offsets.end(), to);
      for (std::size_t at = inputs_.begins[row]; at < inputs_.begins[row + 1]; ++at)
        for (std::size_t k = 0; k < outputs_; ++k)
          to[k] += values_[at] * scaled[inputs_.places[at] * outputs_ + k];
    }
    return out;
  }

  // The transpose of it.
  Numbers backward(const Numbers& of_rows) const {
    Numbers out(size()), sums(outputs_);
    for (std::size_t row = 0; row < inputs_.rows(); ++row) {
      const double* const from = of_rows.data() + row * outputs_;
      for (std::size_t k = 0; k < outputs_; ++k) sums[k] += from[k];
      for (std::size_t at = inputs_.begins[row]; at < inputs_.begins[row + 1]; ++at)
        for (std::size_t k = 0; k < outputs_; ++k)
          out[inputs_.places[at] * outputs_ + k] += values_[at] * from[k];
    }
    for (std::size_t j = 0; j < columns(); ++j)
      for (std::size_t k = 0; k < outputs_; ++k)
        out[j * outputs_ + k] = scales_[j] * (out[j * outputs_ + k] - centres_[j] * sums[k]);
    std::ranges::copy(sums, out.end() - static_cast<std::ptrdiff_t>(outputs_));
    return out;
  }

 private:
  // Over the rows where a column is known. A constant column has the scale 0, so that it says nothing.
  void find_scales(std::span<const double> weights) {
    Numbers sums(columns()), squares(columns()), missing(columns());
    double total = 0;
    const auto weight = [&](std::size_t row) { return weights.empty() ? 1 : weights[row]; };
    const auto each = [&](auto&& visit) {
      for (std::size_t row = 0; row < inputs_.rows(); ++row)
        for (std::size_t at = inputs_.begins[row]; at < inputs_.begins[row + 1]; ++at)
          visit(inputs_.places[at], inputs_.values[at], weight(row));
    };
    for (std::size_t row = 0; row < inputs_.rows(); ++row) total += weight(row);
    each([&](std::size_t j, double value, double w) {
      (std::isnan(value) ? missing[j] : sums[j]) += std::isnan(value) ? w : w * value;
    });
    centres_.resize(columns());
    for (std::size_t j = 0; j < columns(); ++j)
      centres_[j] = total > missing[j] ? sums[j] / (total - missing[j]) : 0;
    Numbers there(columns());
    each([&](std::size_t j, double value, double w) {
      if (std::isnan(value)) return;
      squares[j] += w * (value - centres_[j]) * (value - centres_[j]);
      there[j] += w;
    });
    scales_.resize(columns());
    for (std::size_t j = 0; j < columns(); ++j) {
      const double zeros = std::max(0.0, total - missing[j] - there[j]);
      const double variance =
          (squares[j] + zeros * centres_[j] * centres_[j]) / std::max(total, 1e-300);
      const double least = 1e-12 * centres_[j] * centres_[j];
      scales_[j] = variance > least ? 1 / std::sqrt(variance) : 0;
    }
  }

  const SparseInputs& inputs_;
  Numbers values_;  // none is missing
  std::size_t outputs_;
  Numbers centres_, scales_;
};

// Loss, gradient and curvature in the outputs of the rows.
class Loss {
 public:
  Loss(const LinearProblem& problem, std::size_t outputs) : problem_(problem), outputs_(outputs) {}

  double value(const Numbers& scores) const {
    double sum = 0;
    for (std::size_t row = 0; row < rows(scores); ++row) sum += weight(row) * of_row(scores, row);
    return sum;
  }

  Numbers gradient(const Numbers& scores) const {
    Numbers out = expected(scores);
    for (std::size_t row = 0; row < rows(scores); ++row)
      for (std::size_t k = 0; k < outputs_; ++k) {
        double& at = out[row * outputs_ + k];
        at = weight(row) * (at - observed(row, k));
      }
    return out;
  }

  // Times a direction: p (a - sum p a) for classes, p (1 - p) a for two, a for numbers.
  Numbers curved(const Numbers& scores, const Numbers& direction) const {
    Numbers out = expected(scores);
    for (std::size_t row = 0; row < rows(scores); ++row) {
      const double* const a = direction.data() + row * outputs_;
      double* const p = out.data() + row * outputs_;
      double sum = 0;
      for (std::size_t k = 0; k < outputs_; ++k) sum += p[k] * a[k];
      for (std::size_t k = 0; k < outputs_; ++k) {
        if (problem_.classes == 0)
          p[k] = a[k];
        else
          p[k] *= outputs_ == 1 ? (1 - p[k]) * a[k] : a[k] - sum;
        p[k] *= weight(row);
      }
    }
    return out;
  }

 private:
  std::size_t rows(const Numbers& scores) const { return scores.size() / outputs_; }
  double weight(std::size_t row) const {
    return problem_.weights.empty() ? 1 : problem_.weights[row];
  }
  double observed(std::size_t row, std::size_t k) const {
    if (problem_.classes == 0) return problem_.targets[row];
    return problem_.labels[row] == (outputs_ == 1 ? 1 : k) ? 1 : 0;
  }

  double of_row(const Numbers& scores, std::size_t row) const {
    const double* const s = scores.data() + row * outputs_;
    if (problem_.classes == 0) {
      const double error = s[0] - problem_.targets[row];
      return error * error / 2;
    }
    double most = outputs_ == 1 ? std::max(0.0, s[0]) : *std::max_element(s, s + outputs_);
    double sum = outputs_ == 1 ? std::exp(-most) : 0, right = 0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      sum += std::exp(s[k] - most);
      right += observed(row, k) * s[k];
    }
    return most + std::log(sum) - right;
  }

  // Scores, or the probabilities that they stand for.
  Numbers expected(const Numbers& scores) const {
    Numbers out = scores;
    if (problem_.classes == 0) return out;
    if (outputs_ == 1) {
      for (double& score : out) score = 1 / (1 + std::exp(-score));
      return out;
    }
    for (std::size_t row = 0; row < rows(scores); ++row) {
      double* const s = out.data() + row * outputs_;
      const double most = *std::max_element(s, s + outputs_);
      double sum = 0;
      for (std::size_t k = 0; k < outputs_; ++k) sum += s[k] = std::exp(s[k] - most);
      for (std::size_t k = 0; k < outputs_; ++k) s[k] /= sum;
    }
    return out;
  }

  const LinearProblem& problem_;
  std::size_t outputs_;
};

// All but the intercepts.
Numbers penalised(Numbers coefficients, std::size_t outputs) {
  std::fill(coefficients.end() - static_cast<std::ptrdiff_t>(outputs), coefficients.end(), 0.0);
  return coefficients;
}

class Fitting {
 public:
  Fitting(const LinearProblem& problem, std::size_t outputs)
      : rows_(problem.inputs, problem.weights, outputs),
        loss_(problem, outputs),
        outputs_(outputs),
        coefficients_(rows_.size()) {}

  void run() {
    Numbers scores = rows_.forward(coefficients_);
    double value = objective(coefficients_, scores), first = 0;
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      Numbers gradient =
          moved(rows_.backward(loss_.gradient(scores)), 1, penalised(coefficients_, outputs_));
      const double size = std::sqrt(dot(gradient, gradient));
      if (step == 0) first = size;
      if (!(size > kSolved * first)) return;
      const Numbers direction = solved(scores, gradient, std::min(kForcing, size / first) * size);
      double share = 1;
      for (std::size_t halving = 0;; ++halving, share /= 2) {
        if (halving == kHalvings) return;
        const Numbers next = moved(coefficients_, -share, direction);
        Numbers next_scores = rows_.forward(next);
        const double next_value = objective(next, next_scores);
        if (!(next_value <= value)) continue;
        coefficients_ = next;
        scores = std::move(next_scores);
        value = next_value;
        break;
      }
    }
  }

  LinearFit fit() const {
    LinearFit out;
    out.centres = rows_.centres();
    const std::size_t columns = rows_.columns();
    for (std::size_t k = 0; k < outputs_; ++k)
      out.intercepts.push_back(coefficients_[columns * outputs_ + k]);
    out.weights.assign(coefficients_.begin(),
                       coefficients_.end() - static_cast<std::ptrdiff_t>(outputs_));
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < outputs_; ++k) {
        out.weights[j * outputs_ + k] *= rows_.scale(j);
        out.intercepts[k] -= out.weights[j * outputs_ + k] * out.centres[j];
      }
    return out;
  }

 private:
  double objective(const Numbers& coefficients, const Numbers& scores) const {
    const Numbers counted = penalised(coefficients, outputs_);
    return loss_.value(scores) + dot(counted, counted) / 2;
  }

  // The curvature's inverse times the gradient, until what is left is below `enough`.
  Numbers solved(const Numbers& scores, const Numbers& gradient, double enough) const {
    Numbers out(gradient.size()), left = gradient, direction = gradient;
    double square = dot(left, left);
    for (std::size_t k = 0; k < kMostGradients && std::sqrt(square) > enough; ++k) {
      const Numbers image = moved(rows_.backward(loss_.curved(scores, rows_.forward(direction))), 1,
                                  penalised(direction, outputs_));
      const double along = dot(direction, image);
      if (!(along > 0)) break;
      out = moved(out, square / along, direction);
      left = moved(left, -square / along, image);
      const double before = square;
      square = dot(left, left);
      direction = moved(left, square / before, direction);
    }
    return out;
  }

  StandardisedRows rows_;
  Loss loss_;
  std::size_t outputs_;
  Numbers coefficients_;
};

}  // namespace

LinearFit fit_linear(const LinearProblem& problem) {
  Fitting fitting(problem, problem.classes > 2 ? problem.classes : 1);
  fitting.run();
  return fitting.fit();
}

std::vector<double> linear_outputs(const LinearFit& fit, const SparseInputs& inputs) {
  const std::size_t outputs = fit.intercepts.size();
  std::vector<double> out;
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    out.insert(out.end(), fit.intercepts.begin(), fit.intercepts.end());
    for (std::size_t at = inputs.begins[row]; at < inputs.begins[row + 1]; ++at) {
      const std::size_t j = inputs.places[at];
      const double value = std::isnan(inputs.values[at]) ? fit.centres[j] : inputs.values[at];
      for (std::size_t k = 0; k < outputs; ++k)
        out[row * outputs + k] += value * fit.weights[j * outputs + k];
    }
  }
  return out;
}

}  // namespace postrider::internal
