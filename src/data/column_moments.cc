#include "data/column_moments.h"

#include <algorithm>
#include <cmath>

namespace postrider {

void ColumnMoment::add(double value, double weight) {
  add(ColumnMoment{weight, value, 0, value, value});
}

// Of two parts with the means a and b and the counts n and m, the squares are those of both and
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

std::vector<ColumnMoment> column_moments(std::span<const double> rows, std::size_t columns,
                                         std::span<const double> weights) {
  std::vector<ColumnMoment> out(columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!std::isnan(rows[i]))
      out[i % columns].add(rows[i], weights.empty() ? 1 : weights[i / columns]);
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

}  // namespace postrider
