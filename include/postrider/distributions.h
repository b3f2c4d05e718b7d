// The distributions that a regressor predicts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "postrider/export.h"

namespace postrider {

namespace internal {
struct Access;
class DistributionsState;
}  // namespace internal

// Row by row and in the units of the targets.
struct POSTRIDER_EXPORT Forecast {
  std::vector<double> mean;
  std::vector<double> variance;        // of a new observation: epistemic and aleatoric uncertainty
  std::vector<double> noise_variance;  // of it, the aleatoric part: noise

  // The rest: what the weights leave open, and how much the members differ.
  std::vector<double> epistemic_variance() const {
    std::vector<double> out(variance);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(0.0, out[i] - noise_variance[i]);
    return out;
  }
};

// What is known of new observations, row by row and target by target, in the units of the targets. They are
// not Gaussian where the noise varies, nor where several members are averaged, but mixtures.
class POSTRIDER_EXPORT Distributions {
 public:
  Distributions() = default;  // of no rows

  std::size_t size() const;  // rows times targets
  Forecast moments() const;
  // For each distribution one for each of these probabilities below. Throws InvalidArgument if one
  // is not between 0 and 1.
  std::vector<double> quantiles(std::span<const double> probabilities) const;
  // From low to high, for each distribution: the interval that should hold a new observation with this
  // probability, above 0 and below 1. As wide as would have held that share of the training rows, each
  // predicted by networks that have not learned it, or of a stream's rows before they were learned; see docs/network/intervals.md. Where neither is
  // known, or with EstimatorOptions::Intervals::beliefs, between quantiles of the distribution.
  std::vector<double> intervals(double level) const;
  // `count` draws from each. A function of the seed and the row's number, counted from `first_row`,
  // so that chunks draw what the whole would.
  std::vector<double> samples(std::size_t count, std::uint64_t seed,
                              std::size_t first_row = 0) const;
  // One target for each distribution: the probability of less than it, and the logarithm of the
  // density there. Not a number where the target is none. Where targets lie on a lattice of step h (Regressor::target_steps), the density is
  // the mean over the target's cell, the probability of y - h/2 to y + h/2 divided by h.
  std::vector<double> below(std::span<const double> targets) const;
  std::vector<double> log_densities(std::span<const double> targets) const;
  // And the level above which intervals hold it.
  std::vector<double> levels(std::span<const double> targets) const;

 private:
  friend struct internal::Access;
  explicit Distributions(std::shared_ptr<const internal::DistributionsState> state);
  std::shared_ptr<const internal::DistributionsState> state_;  // null if there are no rows
};

}  // namespace postrider
