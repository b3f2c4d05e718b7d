// Targets that an Observation tells the network of, with one noise variance that is learned from the
// slopes that observations report.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "postrider/error.h"
#include "sweep/workspace.h"
#include "train/noise.h"
#include "train/targets.h"

namespace postrider::internal {

// A belief of which less than this share of its precision is said hears nothing: no integral is more
// accurate.
inline constexpr double kNothingSaid = 1e-10;

template <class T>
void say_nothing(const OutputBack<T>& back, std::size_t k) {
  back.shift[k] = 0;
  back.spread[k] = back.least[k] = static_cast<T>(kVague);
}

// As tilting has it: variance 1/g2 - v around m + g1/g2. It is not below `least`, but for rounding.
template <class T>
void say_tilted(const OutputBack<T>& back, std::size_t k, double g1, double g2, double variance,
                double least) {
  const double seen = variance + least;
  if (!(g2 * seen > kNothingSaid)) return say_nothing(back, k);
  const double spread = std::max(1 / g2, seen);
  back.shift[k] = static_cast<T>(g1 / g2);
  back.spread[k] = static_cast<T>(spread);
  back.least[k] = static_cast<T>(spread - variance);
}

template <class T>
class ObservedTargets : public Targets<T> {
 public:
  std::vector<double> first_noise(const std::vector<double>& given) const override {
    if (given.empty()) return {usual_noise().variance};
    if (given.size() != 1) reject("noise_variance", given.size(), usual_noise().accepted_count);
    return given;
  }

  Assessment assess(const Predictions<const T>& predicted, const std::vector<double>& noise,
                    std::span<const std::uint32_t> rows) const override {
    Assessment out;
    double sum = 0, count = 0;
    for (const std::uint32_t row : rows) {
      const double weight = this->weight(row);
      const std::size_t first = row * this->per_row();
      for (std::size_t i = first; i < first + this->per_row(); ++i) {
        if (std::isnan(this->values_[i])) continue;
        count += weight;
        if (predicted.observed.empty()) sum += weight * log_density(predicted, i, noise[0]);
      }
      if (predicted.observed.empty()) continue;
      const Observed& observed = predicted.observed[row];
      if (std::isnan(observed.log_likelihood)) continue;
      sum += weight * observed.log_likelihood;
      out.squares += weight * observed.log_likelihood * observed.log_likelihood;
      out.evidence.slopes.push_back(observed.noise_slope);
      if (this->is_weighted()) out.evidence.slope_weights.push_back(weight);
      if (noise_varies()) out.evidence.levels.push_back(level(predicted, row));
    }
    out.count = count;
    out.score = count > 0 ? sum / count : 0;
    return out;
  }

  RowAssessment assess_row(const Predictions<const T>& predicted, std::size_t row,
                           const std::vector<double>& /*noise*/) const override {
    RowAssessment out{0, 0, {0}};
    const std::size_t first = row * this->per_row();
    for (std::size_t i = first; i < first + this->per_row(); ++i)
      out.targets += std::isnan(this->values_[i]) ? 0 : 1;
    const Observed& observed = predicted.observed[row];
    if (std::isnan(observed.log_likelihood)) return out;
    out.log_likelihood = observed.log_likelihood;
    out.noise_slopes[0] = observed.noise_slope;
    return out;
  }

  std::vector<double> learned_noise(const std::vector<double>& present,
                                    const NoiseEvidence& evidence,
                                    bool /*is_first_epoch*/) const override {
    const auto [least, most] = this->noise_range();
    const double found =
        noise_with_level(noise_by_slopes(present[0], evidence.slopes, 0, evidence.slope_weights),
                         evidence.levels, evidence.slope_weights);
    return {std::clamp(found, std::min(present[0], least), std::max(present[0], most))};
  }

 protected:
  virtual bool noise_varies() const { return false; }
  // The logarithm of what the noise is then multiplied by at a row, the mean over its targets.
  virtual double level(const Predictions<const T>& /*predicted*/, std::size_t /*row*/) const {
    return 0;
  }
  struct FirstNoise {
    double variance;
    const char* accepted_count;  // what to say to more than one
  };
  virtual FirstNoise usual_noise() const = 0;
  // The log-density of one target, by number.
  virtual double log_density(const Predictions<const T>& predicted, std::size_t i,
                             double noise) const = 0;
};

}  // namespace postrider::internal
