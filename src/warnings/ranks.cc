#include "warnings/ranks.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {

Ranks ranks_of(std::span<const double> numbers) {
  Ranks out;
  out.of_rows.resize(numbers.size());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (std::isfinite(numbers[row])) out.order.push_back(static_cast<std::uint32_t>(row));
  std::ranges::stable_sort(out.order, {}, [&](std::uint32_t row) { return numbers[row]; });
  const double middle = (static_cast<double>(out.known()) - 1) / 2;
  for (std::size_t begin = 0; begin < out.known();) {
    std::size_t end = begin + 1;
    while (end < out.known() && numbers[out.order[end]] == numbers[out.order[begin]]) ++end;
    const double rank = (static_cast<double>(begin) + static_cast<double>(end) - 1) / 2 - middle;
    for (std::size_t k = begin; k < end; ++k) out.of_rows[out.order[k]] = rank;
    out.group_ends.push_back(end);
    begin = end;
  }
  return out;
}

double correlation(std::span<const double> a, std::span<const double> b,
                   std::span<const std::uint32_t> rows) {
  double mean_a = 0, mean_b = 0, both = 0, of_a = 0, of_b = 0;
  const auto count = static_cast<double>(rows.size());
  for (const std::uint32_t row : rows) {
    mean_a += a[row] / count;
    mean_b += b[row] / count;
  }
  for (const std::uint32_t row : rows) {
    both += (a[row] - mean_a) * (b[row] - mean_b);
    of_a += (a[row] - mean_a) * (a[row] - mean_a);
    of_b += (b[row] - mean_b) * (b[row] - mean_b);
  }
  const double product = std::sqrt(of_a) * std::sqrt(of_b);
  return product > 0 && std::isfinite(product) ? both / product : 0;
}

double rank_correlation(const Ranks& a, const Ranks& b) {
  return correlation(a.of_rows, b.of_rows, a.order);
}

}  // namespace postrider::internal
