// What targets say about a network's outputs, where it is more than Gaussian noise.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "sweep/record.h"

namespace postrider::internal {

// One example after its forward pass: the moments of the outputs, its targets, and the noise
// variances of the SweepOptions.
template <class T>
struct OutputRow {
  std::span<const T> mean, variance, targets, noise_variance;
};

// What comes back to the outputs, as N(mean + shift, least): `spread` is the variance above and
// `least` together. An output about which nothing is said has shift 0, and kVague for the others.
template <class T>
struct OutputBack {
  std::span<T> shift, spread, least;
};

// How the targets were predicted before they were learned.
struct Observed {
  double log_likelihood = 0;  // not a number if all targets are missing
  double noise_slope = 0;     // its derivative by the logarithm of a noise common to all outputs
};

// Predictive moments of the outputs, without noise, at the place of each example's row; those of a constant type are only read.
template <class T>
struct Predictions {
  std::span<T> mean, variance;
  // Per row, what an Observation says; empty if nobody asks, or after a mere prediction.
  std::span<std::conditional_t<std::is_const_v<T>, const Observed, Observed>> observed = {};
};

// Networks that are swept side by side, one in each lane: the floats of the widest vector. The same on
// every machine, since results must not depend on it.
inline constexpr std::size_t kPack = 16;

// One example of each network in a pack: arrays of kPack numbers for every output, every target and every
// noise variance. A network that has no example here has targets that are not numbers.
template <class T>
struct PackRow {
  std::span<const T> mean, variance, targets, noise_variance;

  std::size_t outputs() const { return mean.size() / kPack; }
};
struct PackObserved {
  std::array<Observed, kPack> observed{};
  std::array<std::size_t, kPack> guarded{};  // see SweepRecord
};

// The sweep engine calls it for each example between the forward and the backward pass. An object may
// keep memory of its own: one per thread.
template <class T>
class Observation {
 public:
  virtual ~Observation() = default;

  virtual std::size_t targets_per_row() const = 0;
  // Outputs from this one on are told what the targets say where nothing of their example was known, also
  // if the beliefs keep a share of it (damping): outputs that say how far others miss must not see
  // residuals that the example itself has made small.
  virtual std::size_t first_left_out_output(std::size_t outputs) const { return outputs; }
  virtual Observed observe(const OutputRow<T>& row, const OutputBack<T>& back,
                           SweepRecord& record) = 0;

  // The same for a pack. Unless overridden, one network after another.
  virtual PackObserved observe_pack(const PackRow<T>& row, const OutputBack<T>& back);

 private:
  std::vector<T> of_a_lane_;  // one network's numbers out of a pack's
};

extern template class Observation<float>;
extern template class Observation<double>;

}  // namespace postrider::internal
