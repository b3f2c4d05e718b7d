#include "data/column_moments.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {

void ColumnMoment::add(double value, double weight) {
  add(ColumnMoment{weight, value, 0, value, value});
}

// When two parts with the means a and b and the counts n and m are joined, the squares are those of both and
// (b - a)^2 n m/(n + m).
void ColumnMoment::add(const ColumnMoment& more) {
  if (more.count == 0) return;
  if (count == 0) {
    *this = more;
    return;
  }
  const long double all = count + more.count, apart = more.mean - mean;
  squares += more.squares + apart * apart * (count * more.count / all);
  mean += apart * (more.count / all);
  count = all;
  least = std::min(least, more.least);
  most = std::max(most, more.most);
}

// Zeros come last and all at once, so that it does not matter whether they are there.
std::vector<ColumnMoment> column_moments(const Inputs& rows, std::size_t columns,
                                         std::span<const double> weights) {
  std::vector<ColumnMoment> out(columns);
  std::vector<long double> others(columns);  // what is missing, and what is not zero
  rows.for_each(columns, [&](std::size_t row, std::size_t column, double value) {
    if (value == 0) return;
    const double weight = weights.empty() ? 1 : weights[row];
    others[column] += weight;
    if (!std::isnan(value)) out[column].add(value, weight);
  });
  long double all = static_cast<long double>(rows.rows(columns));
  if (!weights.empty()) {
    all = 0;
    for (const double weight : weights) all += weight;
  }
  constexpr long double kRounding = 1e-15L;
  for (std::size_t column = 0; column < columns; ++column)
    if (const long double zeros = all - others[column]; zeros > kRounding * all)
      out[column].add(ColumnMoment{zeros, 0, 0, 0, 0});
  return out;
}

Scales scales_of(std::span<const ColumnMoment> columns) {
  Scales out{std::vector<double>(columns.size()), std::vector<double>(columns.size(), 1)};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ColumnMoment& of = columns[c];
    if (of.count == 0) continue;
    const auto mean = static_cast<double>(of.mean);
    out.mean[c] = mean;
    if (!varies(std::max(of.most - mean, mean - of.least), mean)) continue;
    out.deviation[c] = static_cast<double>(std::sqrt(of.squares / of.count));
  }
  return out;
}

}  // namespace postrider::internal
