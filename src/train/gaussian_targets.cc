// Numbers with Gaussian noise of one variance per output.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "postrider/error.h"
#include "train/noise.h"
#include "train/targets.h"

namespace postrider {
namespace {

constexpr double kFirstNoise = 0.5;
// The noise variance is looked for between these shares of the targets' variance.
constexpr double kLeastNoise = 1e-6, kMostNoise = 2;

template <class T>
class GaussianTargets : public Targets<T> {
 public:
  explicit GaussianTargets(std::size_t outputs)
      : outputs_(outputs), squared_residuals_(outputs), variances_(outputs), counts_(outputs) {}

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

  // Collects residuals and variances of the predictions.
  double score(const PredictedRows<T>& predicted, const std::vector<double>& noise) override {
    double sum = 0, count = 0;
    for (std::size_t o = 0; o < outputs_; ++o) {
      squared_residuals_[o].clear();
      variances_[o].clear();
      counts_[o].clear();
      for (std::size_t i = o; i < this->values_.size(); i += outputs_) {
        const T target = this->values_[i];
        if (std::isnan(target)) continue;
        const double residual =
            static_cast<double>(target) - static_cast<double>(predicted.mean[i]);
        const auto variance = static_cast<double>(predicted.variance[i]);
        squared_residuals_[o].push_back(residual * residual);
        variances_[o].push_back(variance);
        const double weight = this->weight(i / outputs_);
        if (this->is_weighted()) counts_[o].push_back(weight);
        const double total = variance + noise[o];
        sum += weight * (std::log(total) + residual * residual / total);
        count += weight;
      }
    }
    return count > 0 ? -0.5 * (sum / count + std::log(2 * std::numbers::pi)) : 0;
  }

  // An output without targets keeps what it has.
  std::vector<double> learned_noise(const std::vector<double>& present, bool is_first_epoch,
                                    double rows_known) const override {
    std::vector<double> out = present;
    for (std::size_t o = 0; o < outputs_; ++o) {
      if (variances_[o].empty()) continue;
      const double likely = most_likely_noise({squared_residuals_[o], variances_[o], counts_[o]},
                                              std::min(out[o], kLeastNoise * target_variance_[o]),
                                              std::max(out[o], kMostNoise * target_variance_[o]),
                                              {out[o], rows_known});
      out[o] = next_noise(out[o], likely, is_first_epoch);
    }
    return out;
  }

 private:
  const char* accepted_count() const override { return "must hold one value per row and output"; }
  void expect_sense(double target) const override {
    if (std::isinf(static_cast<T>(target)))
      reject("targets", target, "must be finite, or NaN for a missing one");
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
  std::vector<std::vector<double>> squared_residuals_, variances_, counts_;  // per output
};

}  // namespace

template <class T>
std::unique_ptr<Targets<T>> make_gaussian_targets(std::size_t outputs) {
  return std::make_unique<GaussianTargets<T>>(outputs);
}

template std::unique_ptr<Targets<float>> make_gaussian_targets(std::size_t);
template std::unique_ptr<Targets<double>> make_gaussian_targets(std::size_t);

}  // namespace postrider
