#include "data/standardise.h"

#include <cmath>

namespace postrider {

constexpr double kLeastDeviation = 1e-9;

Scales scales_of(std::span<const double> rows, std::size_t columns) {
  Scales out{std::vector<double>(columns), std::vector<double>(columns, 1)};
  for (std::size_t c = 0; c < columns; ++c) {
    double count = 0, sum = 0, squares = 0;
    for (std::size_t i = c; i < rows.size(); i += columns)
      if (!std::isnan(rows[i])) {
        sum += rows[i];
        count += 1;
      }
    if (count == 0) continue;
    out.mean[c] = sum / count;
    for (std::size_t i = c; i < rows.size(); i += columns)
      if (!std::isnan(rows[i])) squares += (rows[i] - out.mean[c]) * (rows[i] - out.mean[c]);
    const double deviation = std::sqrt(squares / count);
    if (deviation > kLeastDeviation) out.deviation[c] = deviation;
  }
  return out;
}

std::vector<double> Scales::standardised(std::span<const double> rows) const {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = (rows[i] - mean[i % columns()]) / deviation[i % columns()];
  return out;
}

}  // namespace postrider
