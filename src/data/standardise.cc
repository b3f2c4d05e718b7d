#include "data/standardise.h"

#include <algorithm>
#include <cmath>

namespace postrider::internal {

namespace {

// A column whose values differ from their mean by less than this share of it is constant: the
// differences are rounding.
constexpr double kLeastVariation = 1e-12;

// Calls visit(value, weight) for all values of a column that are there.
template <class Visit>
void for_each_known(std::span<const double> rows, std::size_t column, std::size_t columns,
                    std::span<const double> weights, Visit&& visit) {
  for (std::size_t i = column; i < rows.size(); i += columns)
    if (!std::isnan(rows[i])) visit(rows[i], weights.empty() ? 1 : weights[i / columns]);
}

}  // namespace

bool varies(double largest, double mean) { return largest > kLeastVariation * std::abs(mean); }

Scales scales_of(std::span<const double> rows, std::size_t columns,
                 std::span<const double> weights) {
  Scales out{std::vector<double>(columns), std::vector<double>(columns, 1)};
  for (std::size_t c = 0; c < columns; ++c) {
    double count = 0, sum = 0, rest = 0, largest = 0, squares = 0;
    const auto for_each = [&](auto&& visit) { for_each_known(rows, c, columns, weights, visit); };
    for_each([&](double x, double weight) {
      sum += weight * x;
      count += weight;
    });
    if (count == 0) continue;
    // The mean of many large numbers, and then the mean of what is left of them: to the last digit.
    double& mean = out.mean[c];
    mean = sum / count;
    for_each([&](double x, double weight) { rest += weight * (x - mean); });
    mean += rest / count;
    for_each([&](double x, double) { largest = std::max(largest, std::abs(x - mean)); });
    if (!varies(largest, mean)) continue;
    // In units of the largest, so that no square is too small or too large to be a number.
    for_each([&](double x, double weight) {
      squares += weight * ((x - mean) / largest * ((x - mean) / largest));
    });
    out.deviation[c] = largest * std::sqrt(squares / count);
  }
  return out;
}

Scales usable_inputs(Scales scales) {
  for (double& deviation : scales.deviation)
    if (deviation < kLeastInputDeviation) deviation = 1;
  return scales;
}

std::vector<ColumnScale> Scales::by_column() const {
  std::vector<ColumnScale> out;
  for (std::size_t c = 0; c < columns(); ++c) out.push_back({mean[c], deviation[c]});
  return out;
}

std::vector<double> Scales::standardised(std::span<const double> rows) const {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = (rows[i] - mean[i % columns()]) / deviation[i % columns()];
  return out;
}

}  // namespace postrider::internal
