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
void for_each_known(const Inputs& rows, std::size_t column, std::span<const double> weights,
                    Visit&& visit) {
  const std::span<const double> values = rows.values();
  for (std::size_t i = column; i < values.size(); i += rows.columns())
    if (!std::isnan(values[i])) visit(values[i], weights.empty() ? 1 : weights[i / rows.columns()]);
}

}  // namespace

bool varies(double largest, double mean) { return largest > kLeastVariation * std::abs(mean); }

Scales scales_of(const Inputs& rows, std::span<const double> weights) {
  const std::size_t columns = rows.columns();
  Scales out{std::vector<double>(columns), std::vector<double>(columns, 1)};
  for (std::size_t c = 0; c < columns; ++c) {
    double count = 0, sum = 0, rest = 0, largest = 0, squares = 0;
    const auto for_each = [&](auto&& visit) { for_each_known(rows, c, weights, visit); };
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

std::vector<double> Scales::standardised(std::span<const double> rows) const {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = (rows[i] - mean[i % columns()]) / deviation[i % columns()];
  return out;
}

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
std::vector<ColumnMoment> column_moments(const Inputs& rows, std::span<const double> weights) {
  const std::size_t columns = rows.columns();
  std::vector<ColumnMoment> out(columns);
  std::vector<long double> others(columns);  // what is missing, and what is not zero
  rows.for_each([&](std::size_t row, std::size_t column, double value) {
    if (value == 0) return;
    const double weight = weights.empty() ? 1 : weights[row];
    others[column] += weight;
    if (!std::isnan(value)) out[column].add(value, weight);
  });
  long double all = static_cast<long double>(rows.rows());
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
