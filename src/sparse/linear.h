// The weights of a linear score, s = bias + sum_i x_i w_i, in all lanes at once.
//
// A row that is learned once changes each belief by assumed-density filtering: with g1 and g2 of log Z by the mean of s,
//
//   m_i += v_i x_i g1,   v_i -= v_i^2 x_i^2 g2.
//
// A row of several passes keeps its message to each weight; it is taken out of the belief before the row is seen again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse/lanes.h"
#include "sparse/likelihood.h"
#include "sparse/weight_table.h"

namespace postrider::internal::hashed {

struct RowView {
  std::span<const std::uint64_t> keys;
  std::span<const float> values;
};

// Messages (tau, rho) of one row: `lanes` taus and as many rhos for each key.
using StoredMessages = std::span<float>;

class Linear {
 public:
  explicit Linear(std::size_t lanes) : weights(lanes) {}

  WeightTable weights;
  LaneMoments bias;
  double squares = 0, inputs = 0;  // sum of squares of the inputs seen, and how many

  static constexpr double kBiasVariance = 10;

  // The prior variance of a weight in each lane: for inputs of the mean square so far.
  void set_prior(const Bank& bank);
  std::span<const float> prior() const { return {prior_.data(), weights.width()}; }

  // The score by the beliefs as they are, of a row that need not be learned.
  LaneMoments score(const RowView& row) const;

  // Creates the row's weights and finds them: call before what follows. The inputs of a new row are counted.
  void touch(const RowView& row, const Bank& bank, bool is_new);
  // The touched weights lose a share of what is known of them, and so does the bias.
  void drift(const Bank& bank);
  LaneMoments touched_score() const;
  // The same with the row's messages taken out; `guarded` counts what rounding made improper.
  LaneMoments cavity_score(StoredMessages stored, std::size_t& guarded);
  void learn(const Answers& answers);
  // Sets beliefs and messages from the cavities of cavity_score().
  void renew(const Answers& answers, StoredMessages stored);

  // Only these lanes stay.
  void keep(std::span<const std::size_t> kept);
  // The most that the table ever had, while it grew or lanes were dropped.
  std::size_t most_bytes() const { return std::max(most_bytes_, weights.peak_bytes()); }

 private:
  template <class Do>
  void with_lanes(Do&& act) const;

  std::array<float, kMostLanes> prior_{};
  std::size_t most_bytes_ = 0;
  // About the row at hand.
  std::span<const float> values_;
  std::vector<float*> slots_;
  std::vector<float> cavities_;  // means and variances, as in the slots
};

// m + v g1 and v (1 - v g2), the moments of a tilted belief. Its variance falls by a factor of at most 1e6, which rounding in float
// would otherwise let it do in one step down to 0.
inline constexpr double kLeastLeft = 1e-6;
template <class T>
inline T left_of_variance(T variance_times_g2) {
  const T left = T(1) - variance_times_g2;
  return left > T(kLeastLeft) ? left : T(kLeastLeft);
}
inline void tilt(double& mean, double& variance, double g1, double g2) {
  mean += variance * g1;
  variance *= left_of_variance(variance * g2);
}

// Beliefs without a message: means and variances, taus and rhos, `count` of each. Rounding may leave no precision where a message
// has all of a belief; a small part of it then stays, and is counted.
inline void take_out(const float* beliefs, const float* messages, std::size_t count,
                     float* cavities, std::size_t& guarded) {
  for (std::size_t k = 0; k < count; ++k) {
    const float rho = 1 / beliefs[count + k];
    const float least = static_cast<float>(kLeastLeft) * rho;
    float left = rho - messages[count + k];
    guarded += left < least ? 1 : 0;
    left = left < least ? least : left;
    cavities[count + k] = 1 / left;
    cavities[k] = (beliefs[k] * rho - messages[k]) / left;
  }
}

}  // namespace postrider::internal::hashed
