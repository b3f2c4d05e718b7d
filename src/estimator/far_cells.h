// Numbers that lie so far from all others of their column that a single one of them would set its scale: a slip of a decimal point, a sentinel, a broken
// sensor. An input of that kind is learned as missing, a target as if it were ten standard deviations from the others.
//
//   m       the median of the column's numbers, or of ten thousand of them
//   d       the median of |x - m| over those that differ from m
//   far     |x - m| > 1e8 d, in at most one row of a hundred, and one in any case
//
// Heavy tails stay as they are: of a million draws from Cauchy's distribution the farthest lies some 1e6 d away. Columns without such numbers are
// left alone, to the bit.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "estimator/state.h"

namespace postrider::internal {

// Standard deviations from the mean of the others: where a target that lies farther is moved to, here and in streams.
// One such row would otherwise move the beliefs beyond all that others said.
inline constexpr double kFarTarget = 10;

struct FarNumbers {
  std::size_t column = 0, count = 0;
  double example = 0;
};

// The places of them in one column of rows that have so many; none if there are none.
std::vector<std::size_t> far_places(std::span<const double> values, std::size_t column,
                                    std::size_t columns);

// A sentence for each column of so many rows; inputs by their names, or else by their numbers from 1.
std::vector<std::string> told_of_far(std::span<const FarNumbers> inputs,
                                     std::span<const FarNumbers> targets, std::size_t rows,
                                     std::span<const std::string> names);

// Rows as they are learned. The rows must outlive it.
class WithoutFarCells {
 public:
  WithoutFarCells(const Examples& rows, bool has_numeric_targets, std::size_t outputs);
  WithoutFarCells(const WithoutFarCells&) = delete;
  WithoutFarCells& operator=(const WithoutFarCells&) = delete;

  const Examples& rows() const { return rows_; }
  // What was changed.
  const std::vector<FarNumbers>& far_inputs() const { return far_inputs_; }
  const std::vector<FarNumbers>& far_targets() const { return far_targets_; }
  std::vector<std::string> told(std::span<const std::string> names) const {
    return told_of_far(far_inputs_, far_targets_, rows_.count(), names);
  }

 private:
  void forget_far_inputs();
  void move_far_targets(std::size_t outputs);

  Examples rows_;
  std::vector<double> inputs_, targets_;  // copies, if something was changed
  std::vector<FarNumbers> far_inputs_, far_targets_;
};

}  // namespace postrider::internal
