// The distribution of a new observation: a mixture over members and over noise.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "factor/varying_noise.h"
#include "postrider/gaussian.h"

namespace postrider {

// One member's belief in one target of one row, standardised.
struct Outlook {
  double mean, variance;          // without noise
  double log_mean, log_variance;  // of the noise's logarithm; 0 where it does not vary
  double scale;                   // of the noise
  bool varies;

  double noise() const { return varies ? expected_noise(log_mean, log_variance, scale) : scale; }
  double log_density(double target) const {
    if (varies)
      return varying_noise_log_density({target - mean, variance, log_mean, log_variance, scale});
    return Gaussian::from_moments(mean, variance + scale).log_density(target);
  }
};

// The logarithm of the mean of numbers that are told by their logarithms, which may be far below any
// number that has an exponential.
class LogMeans {
 public:
  explicit LogMeans(std::size_t size)
      : largest_(size, -std::numeric_limits<double>::infinity()), sum_(size, 0) {}

  void add(std::size_t place, double log_value) {
    double& largest = largest_[place];
    if (log_value > largest) {
      sum_[place] *= std::exp(largest - log_value);
      largest = log_value;
    }
    sum_[place] += std::exp(log_value - largest);
  }
  double at(std::size_t place, std::size_t count) const {
    return largest_[place] + std::log(sum_[place] / static_cast<double>(count));
  }

 private:
  std::vector<double> largest_, sum_;
};

// A new observation by one of the members, all as likely.
double drawn(std::span<const Outlook> members, RandomStream& random);

// Of a standard normal variable. Throws InvalidArgument if the probability is not between 0 and 1.
double standard_quantile(double probability);

// The members' average as a mixture of normal distributions.
class Mixture {
 public:
  explicit Mixture(std::span<const Outlook> members);

  double below(double value) const;  // the probability
  double density(double value) const;
  // Throws InvalidArgument if the probability is not between 0 and 1.
  double quantile(double probability) const;

 private:
  struct Part {
    double weight, mean, deviation;
  };
  std::vector<Part> parts_;
};

}  // namespace postrider
