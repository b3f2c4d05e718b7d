// Weighted histograms of importance samples, as the paper's references are made.
#pragma once

#include <cstddef>
#include <vector>

#include "postrider/gaussian.h"

namespace postrider::experiments {

struct WeightedSample {
  double value, weight;
};

struct Histogram {
  std::vector<double> edges;    // one more than bins
  std::vector<double> density;  // integrates to 1 over the edges
  double effective_samples;     // (sum of weights)^2/(sum of squared weights)

  // KL(histogram || Gaussian restricted to the same range).
  double kl_to(const Gaussian& q) const;
};

// The probability that q lies between the two.
double mass_between(const Gaussian& q, double low, double high);

// Bins of one width between the 0.1 % and the 99.9 % quantile.
Histogram weighted_histogram(std::vector<WeightedSample> samples, std::size_t bins);

}  // namespace postrider::experiments
