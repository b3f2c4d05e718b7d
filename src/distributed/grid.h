// Messages to the weights of a network as whole numbers: see message/whole_units.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sweep/arrays.h"
#include "sweep/touched_weights.h"

namespace postrider::internal {

// Sums over messages for all weights: tau, then rho, in units.
using UnitSums = std::vector<std::int64_t>;

template <class T>
class Grid {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  explicit Grid(const WeightMessages<T>& prior);

  std::size_t weights() const { return prior_.size(); }

  // Rounds a message about these weights, moves the belief that it was multiplied into by as much, and adds what
  // the message has beyond the one before, in units. The number of the first weight whose message is too large for
  // the grid, or kNone.
  std::size_t round(const TouchedWeights& touched, std::span<T> tau, std::span<T> rho,
                    std::span<const T> tau_before, std::span<const T> rho_before,
                    WeightMessages<T>& belief, std::span<double> change) const;

  // The prior times messages with these sums.
  void belief(const UnitSums& sums, WeightMessages<T>& out) const;
  // Adds a message that lies on the grid.
  void add(const TouchedWeights& touched, std::span<const T> tau, std::span<const T> rho,
           UnitSums& to) const;

 private:
  WeightMessages<T> prior_;
  std::vector<double> unit_, per_unit_;  // of tau, then of rho
};

extern template class Grid<float>;
extern template class Grid<double>;

}  // namespace postrider::internal
