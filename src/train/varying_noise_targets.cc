// Numbers with Gaussian noise whose variance is predicted as well: the first half of the outputs are
// means, the second half logarithms of what the noise is multiplied by.
#include <algorithm>
#include <cmath>
#include <limits>

#include "factor/varying_noise.h"
#include "postrider/error.h"
#include "sweep/workspace.h"
#include "train/noise.h"
#include "train/targets.h"

namespace postrider {
namespace {

constexpr double kFirstNoise = 0.5, kLeastNoise = 1e-6, kMostNoise = 1e2;
// A belief of which less than this share of its precision is said hears nothing.
constexpr double kNothingSaid = 1e-10;

template <class T>
VaryingNoiseInput input_of(std::span<const T> mean, std::span<const T> variance, std::size_t k,
                           double target, double scale) {
  const std::size_t half = mean.size() / 2;
  return {target - static_cast<double>(mean[k]), static_cast<double>(variance[k]),
          static_cast<double>(mean[half + k]), static_cast<double>(variance[half + k]), scale};
}

template <class T>
class VaryingNoiseObservation : public Observation<T> {
 public:
  explicit VaryingNoiseObservation(std::size_t targets) : targets_(targets) {}

  std::size_t targets_per_row() const override { return targets_; }

  // With several targets, their sum.
  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& record) override {
    Observed out{std::numeric_limits<double>::quiet_NaN(), 0};
    for (std::size_t k = 0; k < targets_; ++k) {
      if (std::isnan(row.targets[k])) {
        say_nothing(back, k);
        say_nothing(back, targets_ + k);
        continue;
      }
      const VaryingNoiseDerivatives found = varying_noise_derivatives(
          input_of(row.mean, row.variance, k, static_cast<double>(row.targets[k]),
                   static_cast<double>(row.noise_variance[0])));
      out.log_likelihood =
          std::isnan(out.log_likelihood) ? found.log_z : out.log_likelihood + found.log_z;
      out.noise_slope += found.scale_slope;
      record.guarded += found.guarded;
      send(row, back, k, found.x_g1, found.x_g2);
      send(row, back, targets_ + k, found.log_g1, found.log_g2);
    }
    return out;
  }

 private:
  static void say_nothing(const OutputBack<T>& back, std::size_t k) {
    back.shift[k] = 0;
    back.spread[k] = back.least[k] = static_cast<T>(kVague);
  }

  // As tilting has it: variance 1/g2 - v around m + g1/g2.
  static void send(const OutputRow<T>& row, const OutputBack<T>& back, std::size_t k, double g1,
                   double g2) {
    const auto variance = static_cast<double>(row.variance[k]);
    if (!(g2 * variance > kNothingSaid)) return say_nothing(back, k);
    const double spread = std::max(1 / g2, variance * (1 + kNothingSaid));
    back.shift[k] = static_cast<T>(g1 / g2);
    back.spread[k] = static_cast<T>(spread);
    back.least[k] = static_cast<T>(spread - variance);
  }

  std::size_t targets_;
};

template <class T>
class VaryingNoiseTargets : public Targets<T> {
 public:
  explicit VaryingNoiseTargets(std::size_t outputs) : targets_(outputs / 2) {
    if (outputs % 2 != 0)
      reject("outputs", outputs, "must be two per target where the noise varies");
  }

  std::size_t per_row() const override { return targets_; }

  std::vector<double> first_noise(const std::vector<double>& given) const override {
    if (given.empty()) return {kFirstNoise};
    if (given.size() != 1)
      reject("noise_variance", given.size(), "must hold one value where the noise varies");
    return given;
  }

  std::unique_ptr<Observation<T>> observation() const override {
    return std::make_unique<VaryingNoiseObservation<T>>(targets_);
  }

  double score(const PredictedRows<T>& predicted, const std::vector<double>& noise) override {
    slopes_.clear();
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < this->values_.size(); ++i) {
      if (std::isnan(this->values_[i])) continue;
      count += 1;
      if (predicted.observed.empty()) sum += log_density(predicted, i, noise[0]);
    }
    for (const Observed& observed : predicted.observed) {
      if (std::isnan(observed.log_likelihood)) continue;
      sum += observed.log_likelihood;
      slopes_.push_back(observed.noise_slope);
    }
    return count > 0 ? sum / count : 0;
  }

  std::vector<double> learned_noise(const std::vector<double>& present, bool /*is_first_epoch*/,
                                    double rows_known) const override {
    const double next = noise_by_slopes(present[0], slopes_, rows_known);
    return {std::clamp(next, std::min(present[0], kLeastNoise), std::max(present[0], kMostNoise))};
  }

 private:
  const char* accepted_count() const override { return "must hold one value per row and mean"; }
  void expect_sense(double target) const override {
    if (std::isinf(static_cast<T>(target)))
      reject("targets", target, "must be finite, or NaN for a missing one");
  }

  double log_density(const PredictedRows<T>& predicted, std::size_t i, double noise) const {
    const std::size_t outputs = 2 * targets_, row = i / targets_;
    return varying_noise_log_density(input_of(predicted.mean.subspan(row * outputs, outputs),
                                              predicted.variance.subspan(row * outputs, outputs),
                                              i % targets_, static_cast<double>(this->values_[i]),
                                              noise));
  }

  std::size_t targets_;
  std::vector<double> slopes_;
};

}  // namespace

template <class T>
std::unique_ptr<Targets<T>> make_varying_noise_targets(std::size_t outputs) {
  return std::make_unique<VaryingNoiseTargets<T>>(outputs);
}

template std::unique_ptr<Targets<float>> make_varying_noise_targets(std::size_t);
template std::unique_ptr<Targets<double>> make_varying_noise_targets(std::size_t);

}  // namespace postrider
