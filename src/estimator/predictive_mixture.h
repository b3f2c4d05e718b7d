// The distribution of a new observation: a mixture over members and over noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "estimator/unknown_inputs.h"
#include "factor/varying_noise.h"
#include "math/normal_mixture.h"
#include "postrider/gaussian.h"

namespace postrider::internal {

// One member's belief in one target of one row, standardised.
struct Outlook {
  double mean, variance;          // without noise
  double log_mean, log_variance;  // of the noise's logarithm; 0 where it does not vary
  double scale;                   // of the noise
  bool varies;
  double share = 1;        // of this member among all, which need not add up to one
  double from_inputs = 0;  // the part of `variance` that is due to inputs that are not known

  double noise() const { return varies ? expected_noise(log_mean, log_variance, scale) : scale; }
  double log_density(double target) const {
    if (varies)
      return varying_noise_log_density({target - mean, variance, log_mean, log_variance, scale});
    return Gaussian::from_moments(mean, variance + scale).log_density(target);
  }
};

// The outlook of a member that predicts these moments, and the noise's logarithm, if that varies, with those.
Outlook outlook_of(double mean, double variance, double noise_variance);
Outlook outlook_of(double mean, double variance, double log_mean, double log_variance,
                   double noise_variance);

// The logarithm of the mean of the members' densities, which may be far below any number that has an
// exponential.
double mixed_log_density(std::span<const Outlook> members, double target);

double sum_of_shares(std::span<const Outlook> members);

// A new observation by one of the members, each as likely as its share says.
double drawn(std::span<const Outlook> members, RandomStream& random);

// Throws InvalidArgument if one is not above 0 and below 1.
void expect_probabilities(std::span<const double> probabilities);

// The members' average as a mixture of normal distributions.
class Mixture {
 public:
  // How many normal distributions stand for noise whose variance is uncertain: as many as make probabilities exact but for rounding, or seven
  // of Gauss and Hermite's rule, whose probabilities are within some 1e-4.
  enum class Noise { fine, coarse };
  explicit Mixture(std::span<const Outlook> members, Noise noise = Noise::fine);

  double mean() const { return mean_; }
  double deviation() const { return deviation_; }
  // So many standard deviations from the mean of each part, the farthest.
  double lowest(double deviations) const;
  double highest(double deviations) const;

  BelowAndDensity at(double value) const;
  double below(double value) const;  // the probability
  double density(double value) const;
  double quantile(double probability) const;  // of a probability above 0 and below 1
  // Moments of a function of the value, from that of each part's mean and standard deviation.
  template <class OfPart>
  RootMoments moments_of(OfPart&& of_part) const {
    RootMoments out;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const RootMoments one = of_part(parts_.mean(k), parts_.deviation(k));
      out.mean += parts_.weight(k) * one.mean;
      out.square += parts_.weight(k) * one.square;
    }
    return out;
  }

 private:
  double farthest(double side, double deviations) const;

  NormalMixture parts_;
  double mean_ = 0, deviation_ = 0;
};

}  // namespace postrider::internal
