#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "encode/column_code.h"

namespace postrider {
using namespace internal;
namespace {

// The accuracy of differences over a distance of 2e-6, where the second derivatives are of the order of one.
constexpr double kStep = 1e-6, kDifference = 1e-5;

std::map<std::size_t, double> told_at(const ColumnEncoding& column, double x) {
  std::map<std::size_t, double> out;
  encode_number(column, x, [&](std::size_t k, double value) { out[k] += value; });
  return out;
}

void expect_slopes_of_differences(const ColumnEncoding& column, const std::vector<double>& places) {
  for (const double x : places) {
    std::map<std::size_t, double> expected, found;
    for (const auto& [k, value] : told_at(column, x + kStep)) expected[k] += value / (2 * kStep);
    for (const auto& [k, value] : told_at(column, x - kStep)) expected[k] -= value / (2 * kStep);
    encode_slope(column, x, [&](std::size_t k, double slope) { found[k] += slope; });
    for (const auto& [k, slope] : expected) EXPECT_NEAR(found[k], slope, kDifference) << x;
  }
}

const std::vector<double> kPlaces{-3, 0.2, 0.9, 1.7, 4.5, 9};

TEST(ColumnSlope, IsThatOfDifferences) {
  const std::vector<double> ranks{-1, 0.5, 1, 3, 4, 7};
  expect_slopes_of_differences({Encoding::standard, 1.5, 0.4}, kPlaces);
  expect_slopes_of_differences({Encoding::relevance, -1, 7}, kPlaces);
  expect_slopes_of_differences({Encoding::quantile, 1, 2, {}, ranks}, kPlaces);
  expect_slopes_of_differences({Encoding::piecewise, 0, 1, {-2, 0, 1, 5}}, kPlaces);
  expect_slopes_of_differences({Encoding::bins, 1, 2, {0.5, 2}, ranks}, kPlaces);
}

TEST(ColumnSlope, OfANumberThatSeveralRanksShareIsZero) {
  const ColumnEncoding column{Encoding::quantile, 1, 2, {}, {0, 1, 1, 2}};
  EXPECT_EQ(normal_rank_slope(column, 1), 0);
}

}  // namespace
}  // namespace postrider
