// Numbers with Gaussian noise whose variance is predicted as well: the first half of the outputs are
// means, the second half logarithms of what the noise is multiplied by.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "factor/varying_noise.h"
#include "math/simd_level.h"
#include "postrider/error.h"
#include "train/observed_targets.h"

namespace postrider::internal {
namespace {

constexpr double kFirstVaryingNoise = 0.5, kLeastVaryingNoise = 1e-6, kMostVaryingNoise = 1e2;

template <class T>
VaryingNoiseInput input_of(std::span<const T> mean, std::span<const T> variance, std::size_t k,
                           double target, double scale) {
  const std::size_t half = mean.size() / 2;
  return {target - static_cast<double>(mean[k]), static_cast<double>(variance[k]),
          static_cast<double>(mean[half + k]), static_cast<double>(variance[half + k]), scale};
}

// The same numbers of networks side by side.
struct Lanes {
  std::array<double, kPack> residual, variance, log_mean, log_variance, scale;
  std::array<double, kPack> log_z, x_g1, x_g2, log_g1, log_g2, scale_slope, guarded;

  void derive(std::size_t width, SimdLevel level) {
    const auto in = [&](const auto& values) {
      return std::span<const double>(values).first(width);
    };
    const auto out = [&](auto& values) { return std::span<double>(values).first(width); };
    varying_noise_derivatives(
        {in(residual), in(variance), in(log_mean), in(log_variance), in(scale)},
        {out(log_z), out(x_g1), out(x_g2), out(log_g1), out(log_g2), out(scale_slope),
         out(guarded)},
        level);
  }
};

template <class T>
class VaryingNoiseObservation : public Observation<T> {
 public:
  VaryingNoiseObservation(std::size_t targets, bool noise_may_vary)
      : targets_(targets), noise_may_vary_(noise_may_vary), level_(SimdLevel::best()) {}

  std::size_t targets_per_row() const override { return targets_; }
  std::size_t first_left_out_output(std::size_t) const override { return targets_; }

  Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                   SweepRecord& record) override {
    PackObserved out;
    observe_lanes({row.mean, row.variance, row.targets, row.noise_variance}, 1, back, out);
    record.guarded += out.guarded[0];
    return out.observed[0];
  }

  PackObserved observe_pack(const PackRow<T>& row, const OutputBack<T>& back) override {
    PackObserved out;
    observe_lanes(row, kPack, back, out);
    return out;
  }

 private:
  // For `width` networks: arrays hold so many numbers where a pack's hold kPack.
  void observe_lanes(const PackRow<T>& row, std::size_t width, const OutputBack<T>& back,
                     PackObserved& out) {
    for (std::size_t lane = 0; lane < width; ++lane)
      out.observed[lane] = {std::numeric_limits<double>::quiet_NaN(), 0};
    for (std::size_t k = 0; k < targets_; ++k) {
      load(row, width, k);
      lanes_.derive(width, level_);
      for (std::size_t lane = 0; lane < width; ++lane) {
        const std::size_t at = k * width + lane, log_at = (targets_ + k) * width + lane;
        if (std::isnan(row.targets[at])) {
          say_nothing(back, at);
          say_nothing(back, log_at);
          continue;
        }
        add(lane, out);
        send(back, at, lanes_.x_g1[lane], lanes_.x_g2[lane], lanes_.variance[lane]);
        if (noise_may_vary_)
          send(back, log_at, lanes_.log_g1[lane], lanes_.log_g2[lane], lanes_.log_variance[lane]);
        else
          say_nothing(back, log_at);
      }
    }
  }

  // A target that is missing has some residual, of which nothing comes.
  void load(const PackRow<T>& row, std::size_t width, std::size_t k) {
    const std::size_t at = k * width, log_at = (targets_ + k) * width;
    for (std::size_t lane = 0; lane < width; ++lane) {
      const auto target = static_cast<double>(row.targets[at + lane]);
      const auto mean = static_cast<double>(row.mean[at + lane]);
      lanes_.residual[lane] = std::isnan(target) ? 0 : target - mean;
      lanes_.variance[lane] = static_cast<double>(row.variance[at + lane]);
      lanes_.log_mean[lane] = static_cast<double>(row.mean[log_at + lane]);
      lanes_.log_variance[lane] = static_cast<double>(row.variance[log_at + lane]);
      lanes_.scale[lane] = static_cast<double>(row.noise_variance[lane]);
    }
  }

  // With several targets, their sum.
  void add(std::size_t lane, PackObserved& out) const {
    Observed& observed = out.observed[lane];
    const double before = std::isnan(observed.log_likelihood) ? 0 : observed.log_likelihood;
    observed.log_likelihood = before + lanes_.log_z[lane];
    observed.noise_slope += lanes_.scale_slope[lane];
    out.guarded[lane] += static_cast<std::size_t>(lanes_.guarded[lane]);
  }

  static void send(const OutputBack<T>& back, std::size_t at, double g1, double g2,
                   double variance) {
    say_tilted(back, at, g1, g2, variance, kNothingSaid * variance);
  }

  std::size_t targets_;
  bool noise_may_vary_;
  SimdLevel level_;
  Lanes lanes_;
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

  typename Targets<T>::NoiseRange noise_range() const override {
    return {kLeastVaryingNoise, kMostVaryingNoise};
  }

  double typical_noise(const Predictions<const T>& predicted,
                       const std::vector<double>& noise) const override {
    // The order is that of the logarithms.
    std::vector<double> of_rows;
    of_rows.reserve(predicted.mean.size() / (2 * targets_));
    for (std::size_t at = targets_; at < predicted.mean.size(); at += 2 * targets_)
      of_rows.push_back(static_cast<double>(predicted.mean[at]) +
                        0.5 * static_cast<double>(predicted.variance[at]));
    if (of_rows.empty()) return noise[0];
    const auto middle = of_rows.begin() + static_cast<std::ptrdiff_t>(of_rows.size() / 2);
    std::ranges::nth_element(of_rows, middle);
    return noise_at(*middle, noise[0]);
  }

 private:
  const char* accepted_count() const override { return "must hold one value per row and mean"; }
  void expect_sense(double target) const override {
    if (std::isinf(static_cast<T>(target)))
      reject("targets", target, "must be finite, or NaN for a missing one");
  }

  bool noise_varies() const override { return true; }
  double level(const Predictions<const T>& predicted, std::size_t row) const override {
    double sum = 0;
    for (std::size_t k = 0; k < targets_; ++k)
      sum += static_cast<double>(predicted.mean[(2 * row + 1) * targets_ + k]);
    return sum / static_cast<double>(targets_);
  }

  typename ObservedTargets<T>::FirstNoise usual_noise() const override {
    return {kFirstVaryingNoise, "must hold one value where the noise varies"};
  }

  double log_density(const Predictions<const T>& predicted, std::size_t i,
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

}  // namespace postrider::internal
