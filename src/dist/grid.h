// Messages as whole numbers, so that their sum is the same in any order and on any machine.
//
// Every number of a weight's message is a multiple of a unit: 2^-24 of the prior's precision for rho, and of its
// square root for tau, both rounded down to a power of two. A float or double whose last digit is worth more than
// the unit lies on the grid already; others lose less than any sum of them would notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sweep/arrays.h"
#include "sweep/touched_weights.h"

namespace postrider {

// Of all weights: tau, then rho, in units.
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

}  // namespace postrider
