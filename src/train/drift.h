// Beliefs that drift between the rows of a stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "network/network_state.h"
#include "postrider/network/trainer.h"
#include "sweep/observation.h"

namespace postrider::internal {

// Forgetting passes over all weights, so that it is done for so many rows at once: natural parameters
//
//   theta <- k theta + (1 - k) prior,   k = (1 - forgetting)^kForgetEvery .
//
// A row counts from the beginning of the stream, so that it does not matter how that is cut into calls. A
// walk is done after every row: rho <- rho/(1 + walk rho), the mean stays. Beliefs drift when a row has been
// learned, so that they are always those that the next row is predicted with.
inline constexpr std::size_t kForgetEvery = 16;

// How many outputs, from the first on, have biases that walk: all but those that tell the noise.
template <class T>
std::size_t walking_outputs(network::Likelihood likelihood, const NetworkArrays<T>& network) {
  const std::size_t outputs = network.engine.layers().back().units;
  return likelihood == network::Likelihood::varying_noise ? outputs / 2 : outputs;
}

// The drift of one network. Of a first layer whose inputs are mostly zero, a weight is drifted when a row touches
// it, and all others by settle().
template <class T>
class Drift {
 public:
  // The first `walking` outputs have biases that walk. The network must outlive it.
  Drift(const NetworkArrays<T>& network, const StreamReport::DriftRate& rate, std::size_t walking,
        bool may_be_lazy = true);

  bool is_still() const { return rate_ == StreamReport::DriftRate{}; }
  bool is_lazy() const { return !settled_.empty(); }
  // Before a row is learned, which touches these inputs.
  void before_row(WeightMessages<T>& belief, std::span<const std::uint32_t> inputs);
  // When so many rows have been learned.
  void after_row(WeightMessages<T>& belief, std::size_t seen);
  // Drifts what no row has touched: then the beliefs are those of all weights.
  void settle(WeightMessages<T>& belief);
  // Whether no walk can have taken the precision of this number below its prior's.
  bool keeps_prior(std::size_t at) const;

 private:
  void forget(WeightMessages<T>& belief, std::size_t begin, std::size_t end, T keep) const;
  void catch_up(WeightMessages<T>& belief, std::size_t input);

  const NetworkArrays<T>& network_;
  StreamReport::DriftRate rate_;
  T keep_;
  std::vector<std::size_t> biases_;  // that walk
  std::size_t lazy_end_ = 0;  // numbers before it are those of the first layer, if that is lazy
  std::size_t due_ = 0;       // how often all has been forgotten since all was settled
  std::vector<std::size_t> settled_;  // of each input of the first layer, how often it was
};

// The drift of networks side by side, each at a rate of its own.
template <class T>
class PackDrift {
 public:
  PackDrift(const std::vector<SweepLayer>& layers,
            const std::vector<StreamReport::DriftRate>& rates, std::size_t walking);

  void after_row(WeightMessages<T>& belief, const WeightMessages<T>& prior, std::size_t seen) const;
  bool keeps_prior(std::size_t at) const;

 private:
  std::array<T, kPack> keep_, walk_;
  bool forgets_ = false, walks_ = false;
  std::vector<std::size_t> biases_;  // where their kPack numbers begin
};

extern template class Drift<float>;
extern template class Drift<double>;
extern template class PackDrift<float>;
extern template class PackDrift<double>;

}  // namespace postrider::internal
