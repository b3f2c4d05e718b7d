// Ranks of numbers, and how far one column tells another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace postrider::internal {

// Ranks as far from their middle as they are: of n known numbers from -(n - 1) / 2 on, equal ones share the mean of theirs.
struct Ranks {
  std::vector<double> of_rows = {};          // 0 where the number is missing or infinite
  std::vector<std::uint32_t> order = {};     // rows with a number, ascending by it
  std::vector<std::size_t> group_ends = {};  // where equal numbers end in that order

  std::size_t known() const { return order.size(); }
  std::size_t different() const { return group_ends.size(); }
};
Ranks ranks_of(std::span<const double> numbers);

// The rank correlation over rows in which both are known.
double rank_correlation(const Ranks& a, const Ranks& b);
// Pearson's, over these rows; 0 where one does not vary.
double correlation(std::span<const double> a, std::span<const double> b,
                   std::span<const std::uint32_t> rows);

}  // namespace postrider::internal
