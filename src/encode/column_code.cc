#include "encode/column_code.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

double normal_quantile(double probability) {
  return std::numbers::sqrt2 * boost::math::erf_inv(2 * probability - 1);
}

// Between 0 and 1: the middle of the places where x could stand.
double rank_among(const std::vector<double>& ranks, double x) {
  const auto [low, high] = std::equal_range(ranks.begin(), ranks.end(), x);
  const auto before = static_cast<double>(low - ranks.begin());
  const auto last = static_cast<double>(ranks.size() - 1);
  if (low != high) return (before + static_cast<double>(high - ranks.begin()) - 1) / 2 / last;
  return (before - 1 + (x - *(low - 1)) / (*low - *(low - 1))) / last;
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::standard:
      return "standard";
    case Encoding::quantile:
      return "quantile";
    case Encoding::piecewise:
      return "piecewise";
    case Encoding::bins:
      return "bins";
    case Encoding::relevance:
      return "relevance";
    case Encoding::chosen:
      break;
  }
  return "chosen";
}

std::size_t ColumnEncoding::inputs() const {
  switch (kind) {
    case Encoding::piecewise:
      return knots.size();
    case Encoding::bins:
      return knots.size() + 2;
    default:
      return 1;
  }
}

namespace internal {

KnotPlace place_among(const std::vector<double>& knots, double x) {
  const auto above = std::ranges::upper_bound(knots, x) - knots.begin();
  const auto last = static_cast<std::ptrdiff_t>(knots.size()) - 2;
  const auto at = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, last));
  return {at, (x - knots[at]) / (knots[at + 1] - knots[at])};
}

// As if half a number were on either side, the ranks from 0 to 1 become probabilities that are neither.
double normal_rank(const ColumnEncoding& column, double x) {
  const std::vector<double>& ranks = column.ranks;
  const double nearest = std::clamp(x, ranks.front(), ranks.back());
  const double margin = 0.5 / static_cast<double>(ranks.size());
  return normal_quantile(margin + (1 - 2 * margin) * rank_among(ranks, nearest)) +
         (x - nearest) / column.unit;
}

void expect_sound(const ColumnEncoding& column) {
  const auto expect_rising = [](const std::vector<double>& numbers, std::size_t least,
                                bool strictly) {
    if (numbers.size() < least) reject("encoding", numbers.size(), "must have more knots or ranks");
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!std::isfinite(numbers[k])) reject("encoding", numbers[k], "must be finite");
      if (k > 0 && (strictly ? numbers[k] <= numbers[k - 1] : numbers[k] < numbers[k - 1]))
        reject("encoding", numbers[k], "must have knots that rise");
    }
  };
  if (!std::isfinite(column.mean) || !(column.unit > 0 && std::isfinite(column.unit)))
    reject("encoding", column.unit, "must have a finite mean and a unit above 0");
  if (column.kind == Encoding::piecewise) expect_rising(column.knots, 2, true);
  if (column.kind == Encoding::bins) expect_rising(column.knots, 0, true);
  if (column.kind == Encoding::bins || column.kind == Encoding::quantile)
    expect_rising(column.ranks, 2, false);
}

}  // namespace internal

}  // namespace postrider

namespace postrider::internal {
// With z the standard normal number of probability p: dz/dx = dp/dx / density(z), where p rises evenly between two ranks.
double normal_rank_slope(const ColumnEncoding& column, double x) {
  const std::vector<double>& ranks = column.ranks;
  if (x < ranks.front() || x > ranks.back()) return 1 / column.unit;
  const auto [low, high] = std::equal_range(ranks.begin(), ranks.end(), x);
  if (low != high) return 0;
  const auto count = static_cast<double>(ranks.size());
  const double rise = (1 - 1 / count) / (count - 1) / (*low - *(low - 1));
  const double z = normal_rank(column, x);
  return rise * std::sqrt(2 * std::numbers::pi) * std::exp(0.5 * z * z);
}

}  // namespace postrider::internal
