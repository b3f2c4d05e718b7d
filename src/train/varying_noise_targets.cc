// Numbers with Gaussian noise whose variance is predicted as well: the first half of the outputs are
// means, the second half logarithms of what the noise is multiplied by.
#include <algorithm>
#include <cmath>
#include <limits>

#include "factor/varying_noise.h"
#include "postrider/error.h"
#include "train/observed_targets.h"

namespace postrider {
namespace {

constexpr double kFirstNoise = 0.5, kLeastNoise = 1e-6, kMostNoise = 1e2;

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
  VaryingNoiseObservation(std::size_t targets, bool noise_may_vary)
      : targets_(targets), noise_may_vary_(noise_may_vary) {}

  std::size_t targets_per_row() const override { return targets_; }
  std::size_t first_left_out_output(std::size_t) const override { return targets_; }

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
      const auto send = [&](std::size_t output, double g1, double g2) {
        const auto variance = static_cast<double>(row.variance[output]);
        say_tilted(back, output, g1, g2, variance, kNothingSaid * variance);
      };
      send(k, found.x_g1, found.x_g2);
      if (noise_may_vary_)
        send(targets_ + k, found.log_g1, found.log_g2);
      else
        say_nothing(back, targets_ + k);
    }
    return out;
  }

 private:
  std::size_t targets_;
  bool noise_may_vary_;
};

template <class T>
class VaryingNoiseTargets : public ObservedTargets<T> {
 public:
  explicit VaryingNoiseTargets(std::size_t outputs) : targets_(outputs / 2) {
    if (outputs % 2 != 0)
      reject("outputs", outputs, "must be two per target where the noise varies");
  }

  std::size_t per_row() const override { return targets_; }

  std::unique_ptr<Observation<T>> observation(bool noise_may_vary) const override {
    return std::make_unique<VaryingNoiseObservation<T>>(targets_, noise_may_vary);
  }

  typename Targets<T>::NoiseRange noise_range() const override { return {kLeastNoise, kMostNoise}; }

  double typical_noise(const PredictedRows<T>& predicted,
                       const std::vector<double>& noise) const override {
    std::vector<double> of_rows;
    for (std::size_t at = targets_; at < predicted.mean.size(); at += 2 * targets_)
      of_rows.push_back(expected_noise(static_cast<double>(predicted.mean[at]),
                                       static_cast<double>(predicted.variance[at]), noise[0]));
    if (of_rows.empty()) return noise[0];
    const auto middle = of_rows.begin() + static_cast<std::ptrdiff_t>(of_rows.size() / 2);
    std::ranges::nth_element(of_rows, middle);
    return *middle;
  }

 private:
  const char* accepted_count() const override { return "must hold one value per row and mean"; }
  void expect_sense(double target) const override {
    if (std::isinf(static_cast<T>(target)))
      reject("targets", target, "must be finite, or NaN for a missing one");
  }

  typename ObservedTargets<T>::FirstNoise usual_noise() const override {
    return {kFirstNoise, "must hold one value where the noise varies"};
  }

  double log_density(const PredictedRows<T>& predicted, std::size_t i,
                     double noise) const override {
    const std::size_t outputs = 2 * targets_, row = i / targets_;
    return varying_noise_log_density(input_of(predicted.mean.subspan(row * outputs, outputs),
                                              predicted.variance.subspan(row * outputs, outputs),
                                              i % targets_, static_cast<double>(this->values_[i]),
                                              noise));
  }

  std::size_t targets_;
};

}  // namespace

template <class T>
std::unique_ptr<Targets<T>> make_varying_noise_targets(std::size_t outputs) {
  return std::make_unique<VaryingNoiseTargets<T>>(outputs);
}

template std::unique_ptr<Targets<float>> make_varying_noise_targets(std::size_t);
template std::unique_ptr<Targets<double>> make_varying_noise_targets(std::size_t);

}  // namespace postrider
