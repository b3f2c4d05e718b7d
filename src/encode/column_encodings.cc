#include "encode/column_encodings.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "encode/input_encoding.h"

namespace postrider {
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

std::vector<ColumnEncoding> column_encodings(Encoding kind, std::span<const double> rows,
                                             std::size_t columns, const TargetsToTell& targets) {
  std::vector<ColumnEncoding> out;
  std::vector<double> column(targets.rows());
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t row = 0; row < column.size(); ++row) column[row] = rows[row * columns + c];
    out.push_back(encoding_of(kind, column, targets));
  }
  return out;
}

}  // namespace postrider
