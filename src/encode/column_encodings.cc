#include "encode/column_encodings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "encode/input_encoding.h"

namespace postrider::internal {
namespace {

// Steps between the ranks that are kept.
constexpr std::size_t kMostRanks = 256;

std::vector<double> known_values(std::span<const double> column) {
  std::vector<double> out;
  std::ranges::copy_if(column, std::back_inserter(out), [](double x) { return !std::isnan(x); });
  std::ranges::sort(out);
  return out;
}

bool has_more_than_two(const std::vector<double>& sorted) {
  const auto second = std::ranges::upper_bound(sorted, sorted.front());
  return second != sorted.end() && *second != sorted.back();
}

std::vector<double> ranks_of(const std::vector<double>& sorted) {
  const std::size_t steps = std::min(kMostRanks, sorted.size() - 1);
  std::vector<double> out;
  for (std::size_t k = 0; k <= steps; ++k) out.push_back(sorted[k * (sorted.size() - 1) / steps]);
  return out;
}

ColumnEncoding encoding_of(Encoding kind, std::span<const double> column,
                           const TargetsToTell& targets) {
  const std::vector<double> sorted = known_values(column);
  ColumnEncoding out = standard_encoding(column_moments(column, 1, targets.weights).front());
  if (kind == Encoding::standard || sorted.empty() || !has_more_than_two(sorted)) return out;
  out.kind = kind;
  if (kind != Encoding::quantile) out.knots = supervised_cuts(column, targets);
  if (out.knots.empty()) out.kind = Encoding::quantile;
  if (out.kind == Encoding::piecewise) {
    out.knots.insert(out.knots.begin(), sorted.front());
    out.knots.push_back(sorted.back());
  } else {
    out.ranks = ranks_of(sorted);
  }
  return out;
}

}  // namespace

namespace {

// The numbers of rows, column by column.
class Columns {
 public:
  Columns(const Inputs& rows, std::size_t columns)
      : ends_(columns + 1), rows_(rows.values().size()), values_(rows.values().size()) {
    rows.for_each(columns, [&](std::size_t, std::size_t column, double) { ++ends_[column + 1]; });
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::vector<std::size_t> next = ends_;
    rows.for_each(columns, [&](std::size_t row, std::size_t column, double value) {
      rows_[next[column]] = static_cast<std::uint32_t>(row);
      values_[next[column]++] = value;
    });
  }

  void copy(std::size_t column, std::span<double> to) const {
    std::ranges::fill(to, 0.0);
    for (std::size_t at = ends_[column]; at < ends_[column + 1]; ++at) to[rows_[at]] = values_[at];
  }

 private:
  std::vector<std::size_t> ends_;  // of each column, after a zero
  std::vector<std::uint32_t> rows_;
  std::vector<double> values_;
};

}  // namespace

std::vector<ColumnEncoding> column_encodings(Encoding kind, const Inputs& rows, std::size_t columns,
                                             const TargetsToTell& targets) {
  std::vector<ColumnEncoding> out;
  std::vector<double> column(targets.rows());
  const Columns by_column(rows, columns);
  for (std::size_t c = 0; c < columns; ++c) {
    by_column.copy(c, column);
    out.push_back(encoding_of(kind, column, targets));
  }
  return out;
}

std::vector<ColumnEncoding> zero_keeping_encodings(const Inputs& rows, std::size_t columns,
                                                   std::span<const double> weights) {
  std::vector<double> count(columns), squares(columns);
  rows.for_each(columns, [&](std::size_t row, std::size_t column, double value) {
    if (value == 0 || std::isnan(value)) return;
    const double weight = weights.empty() ? 1 : weights[row];
    count[column] += weight;
    squares[column] += weight * value * value;
  });
  std::vector<ColumnEncoding> out(columns);
  for (std::size_t c = 0; c < columns; ++c)
    if (const double unit = std::sqrt(squares[c] / count[c]); unit > 0 && std::isfinite(unit))
      out[c].unit = unit;
  return out;
}

}  // namespace postrider::internal
