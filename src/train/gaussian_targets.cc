// Numbers with Gaussian noise of one variance per output.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "postrider/error.h"
#include "train/noise.h"
#include "train/targets.h"

namespace postrider::internal {
namespace {

constexpr double kFirstNoise = 0.5;
// The noise variance is looked for between these shares of the targets' variance.
constexpr double kLeastNoise = 1e-6, kMostNoise = 2;

template <class T>
class GaussianTargets : public Targets<T> {
 public:
  explicit GaussianTargets(std::size_t outputs) : outputs_(outputs), target_variance_(outputs, 1) {}

  std::size_t per_row() const override { return outputs_; }

  std::vector<double> first_noise(const std::vector<double>& given) const override {
    if (given.empty()) return std::vector<double>(outputs_, kFirstNoise);
    if (given.size() == 1) return std::vector<double>(outputs_, given.front());
    if (given.size() != outputs_)
      reject("noise_variance", given.size(), "must hold one value, or one per output");
    return given;
  }

  std::unique_ptr<Observation<T>> observation(bool /*noise_may_vary*/) const override {
    return nullptr;
  }

  Assessment assess(const Predictions<const T>& predicted, const std::vector<double>& noise,
                    std::span<const std::uint32_t> rows) const override {
    Assessment out;
    out.evidence.outputs.resize(outputs_);
    double sum = 0, count = 0;
    for (std::size_t o = 0; o < outputs_; ++o) {
      NoiseEvidence::Output& evidence = out.evidence.outputs[o];
      for (const std::uint32_t row : rows) {
        const std::size_t i = row * outputs_ + o;
        if (std::isnan(this->values_[i])) continue;
        const auto [squared_residual, variance] = missed_by(predicted, i);
        evidence.squared_residuals.push_back(squared_residual);
        evidence.variances.push_back(variance);
        const double weight = this->weight(row);
        if (this->is_weighted()) evidence.weights.push_back(weight);
        const double total = variance + noise[o];
        const double log_density =
            -0.5 * (std::log(2 * std::numbers::pi * total) + squared_residual / total);
        sum += weight * log_density;
        out.squares += weight * log_density * log_density;
        count += weight;
      }
    }
    out.count = count;
    if (count > 0) out.score = sum / count;
    return out;
  }

  // d/d(log b) of log N(residual; 0, v + b) = b/(2 (v + b)) (residual^2/(v + b) - 1).
  RowAssessment assess_row(const Predictions<const T>& predicted, std::size_t row,
                           const std::vector<double>& noise) const override {
    RowAssessment out{0, 0, std::vector<double>(outputs_)};
    for (std::size_t o = 0; o < outputs_; ++o) {
      const std::size_t i = row * outputs_ + o;
      if (std::isnan(this->values_[i])) continue;
      const auto [squared_residual, variance] = missed_by(predicted, i);
      const double total = variance + noise[o], surprise = squared_residual / total;
      out.log_likelihood -= 0.5 * (std::log(2 * std::numbers::pi * total) + surprise);
      out.noise_slopes[o] = 0.5 * noise[o] / total * (surprise - 1);
      ++out.targets;
    }
    return out;
  }

  // An output without targets keeps what it has.
  std::vector<double> learned_noise(const std::vector<double>& present,
                                    const NoiseEvidence& evidence,
                                    bool is_first_epoch) const override {
    std::vector<double> out = present;
    for (std::size_t o = 0; o < outputs_; ++o) {
      const NoiseEvidence::Output& of = evidence.outputs[o];
      if (of.variances.empty()) continue;
      const double likely = most_likely_noise({of.squared_residuals, of.variances, of.weights},
                                              std::min(out[o], kLeastNoise * target_variance_[o]),
                                              std::max(out[o], kMostNoise * target_variance_[o]));
      out[o] = next_noise(out[o], likely, is_first_epoch);
    }
    return out;
  }

  typename Targets<T>::NoiseRange noise_range() const override { return {kLeastNoise, kMostNoise}; }

 private:
  const char* accepted_count() const override { return "must hold one value per row and output"; }
  void expect_sense(double target) const override {
    if (std::isinf(static_cast<T>(target)))
      reject("targets", target, "must be finite, or NaN for a missing one");
  }

  // A squared residual and the variance of the prediction, of one target by number.
  std::pair<double, double> missed_by(const Predictions<const T>& predicted, std::size_t i) const {
    const double residual =
        static_cast<double>(this->values_[i]) - static_cast<double>(predicted.mean[i]);
    return {residual * residual, static_cast<double>(predicted.variance[i])};
  }

  // Measures the targets' variance.
  void loaded() override {
    target_variance_.assign(outputs_, 1);
    for (std::size_t o = 0; o < outputs_; ++o) {
      double count = 0, sum = 0, squares = 0;
      for (std::size_t i = o; i < this->values_.size(); i += outputs_) {
        const auto y = static_cast<double>(this->values_[i]);
        if (std::isnan(y)) continue;
        const double weight = this->weight(i / outputs_);
        count += weight;
        sum += weight * y;
        squares += weight * y * y;
      }
      if (count == 0) continue;
      const double spread = squares / count - (sum / count) * (sum / count);
      if (spread > 0) target_variance_[o] = spread;
    }
  }

  std::size_t outputs_;
  std::vector<double> target_variance_;
};

}  // namespace

template <class T>
std::unique_ptr<Targets<T>> make_gaussian_targets(std::size_t outputs) {
  return std::make_unique<GaussianTargets<T>>(outputs);
}

template std::unique_ptr<Targets<float>> make_gaussian_targets(std::size_t);
template std::unique_ptr<Targets<double>> make_gaussian_targets(std::size_t);

}  // namespace postrider::internal
