#include "math/sparse_precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "math/cholesky.h"

namespace postrider::internal {
namespace {

using Entry = SparsePrecision::Entry;

constexpr double kRounding = 1e-10;

struct Sparse {
  std::size_t size;
  std::vector<Entry> entries;
  std::vector<double> values;

  // The same by a full matrix.
  std::vector<double> full() const {
    std::vector<double> out(size * size, 0.0);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto [row, column] = entries[k];
      out[row * size + column] += values[k];
      if (row != column) out[column * size + row] += values[k];
    }
    return out;
  }
};

// The sum of a a' over random pairs and single variables.
Sparse random_precision(std::size_t size, std::span<const Entry> pairs, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> weight(0.3, 2);
  Sparse out{size, {}, {}};
  for (std::uint32_t i = 0; i < size; ++i) {
    out.entries.push_back({i, i});
    out.values.push_back(weight(random));
  }
  for (const Entry& pair : pairs) {
    const double a = weight(random), b = -weight(random);
    out.entries.insert(out.entries.end(),
                       {{pair.row, pair.row}, {pair.row, pair.column}, {pair.column, pair.column}});
    out.values.insert(out.values.end(), {a * a, a * b, b * b});
  }
  return out;
}

Sparse chain(std::size_t size) {
  std::vector<Entry> pairs;
  for (std::uint32_t i = 1; i < size; ++i) pairs.push_back({i, i - 1});
  return random_precision(size, pairs, 1);
}

// Its variables in the order of their numbers, or in any.
Sparse grid(std::uint32_t side, bool is_shuffled) {
  std::vector<std::uint32_t> number(side * side);
  std::iota(number.begin(), number.end(), 0u);
  if (is_shuffled) std::shuffle(number.begin(), number.end(), std::mt19937_64(5));
  std::vector<Entry> pairs;
  for (std::uint32_t i = 0; i < side * side; ++i) {
    if ((i + 1) % side != 0) pairs.push_back({number[i], number[i + 1]});
    if (i + side < side * side) pairs.push_back({number[i + side], number[i]});
  }
  return random_precision(side * side, pairs, 2);
}

// Each variable with some far away: no order has a narrow band.
Sparse scattered(std::uint32_t size) {
  std::mt19937_64 random(3);
  std::vector<Entry> pairs;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto other = static_cast<std::uint32_t>(random() % size);
    if (other != i) pairs.push_back({i, other});
  }
  return random_precision(size, pairs, 4);
}

class Matrices : public testing::TestWithParam<int> {
 protected:
  Sparse sparse() const {
    switch (GetParam()) {
      case 0:
        return chain(200);
      case 1:
        return grid(5, false);
      case 2:
        return grid(14, true);
      default:
        return scattered(150);
    }
  }
};

TEST_P(Matrices, AgreeWithTheFullMatrix) {
  const Sparse sparse = this->sparse();
  const Cholesky full(sparse.full(), sparse.size);
  ASSERT_TRUE(full.is_positive_definite());
  SparsePrecision precision(sparse.size, sparse.entries);
  ASSERT_TRUE(precision.factorise(sparse.values));

  EXPECT_NEAR(precision.log_determinant(), full.log_determinant(),
              kRounding * std::abs(full.log_determinant()));

  std::vector<double> expected(sparse.size), found;
  for (std::size_t i = 0; i < sparse.size; ++i) expected[i] = std::sin(static_cast<double>(i));
  found = expected;
  full.solve(expected);
  precision.solve(found);
  for (std::size_t i = 0; i < sparse.size; ++i) EXPECT_NEAR(found[i], expected[i], kRounding);

  const std::vector<double> inverse = full.inverse();
  const SparsePrecision::Covariances covariances = precision.covariances(sparse.entries);
  const auto entry = [&](std::size_t row, std::size_t column) {
    return inverse[std::max(row, column) * sparse.size + std::min(row, column)];
  };
  for (std::size_t k = 0; k < sparse.entries.size(); ++k)
    EXPECT_NEAR(covariances.entries[k], entry(sparse.entries[k].row, sparse.entries[k].column),
                kRounding);
  for (std::size_t i = 0; i < sparse.size; ++i)
    EXPECT_NEAR(covariances.variances[i], entry(i, i), kRounding);
}

// E[u u'] of u = M z with independent z is M M': M is read off by colouring the unit vectors.
TEST_P(Matrices, ColoursWithTheCovariance) {
  const Sparse sparse = this->sparse();
  SparsePrecision precision(sparse.size, sparse.entries);
  ASSERT_TRUE(precision.factorise(sparse.values));
  const SparsePrecision::Covariances covariances = precision.covariances(sparse.entries);
  std::vector<double> variances(sparse.size, 0.0), beside(sparse.entries.size(), 0.0),
      unit(sparse.size);
  for (std::size_t i = 0; i < sparse.size; ++i) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[i] = 1;
    precision.colour(unit);
    for (std::size_t j = 0; j < sparse.size; ++j) variances[j] += unit[j] * unit[j];
    for (std::size_t k = 0; k < beside.size(); ++k)
      beside[k] += unit[sparse.entries[k].row] * unit[sparse.entries[k].column];
  }
  for (std::size_t j = 0; j < sparse.size; ++j)
    EXPECT_NEAR(variances[j], covariances.variances[j], kRounding);
  for (std::size_t k = 0; k < beside.size(); ++k)
    EXPECT_NEAR(beside[k], covariances.entries[k], kRounding);
}

TEST_P(Matrices, TakeOtherValuesOfTheSamePattern) {
  Sparse sparse = this->sparse();
  SparsePrecision precision(sparse.size, sparse.entries);
  ASSERT_TRUE(precision.factorise(sparse.values));
  const double before = precision.log_determinant();
  for (double& value : sparse.values) value *= 2;
  ASSERT_TRUE(precision.factorise(sparse.values));
  EXPECT_NEAR(precision.log_determinant(), before + static_cast<double>(sparse.size) * std::log(2),
              kRounding * static_cast<double>(sparse.size));
}

TEST_P(Matrices, AreRefusedWhereTheyAreNotPositiveDefinite) {
  Sparse sparse = this->sparse();
  SparsePrecision precision(sparse.size, sparse.entries);
  sparse.values[sparse.size / 2] -= 50;
  EXPECT_FALSE(precision.factorise(sparse.values));
  sparse.values[sparse.size / 2] = std::nan("");
  EXPECT_FALSE(precision.factorise(sparse.values));
  // x_0 and x_1 differ by nothing, and nothing else is known.
  const std::vector<Entry> pair{{0, 0}, {1, 0}, {1, 1}};
  SparsePrecision flat(2, pair);
  EXPECT_FALSE(flat.factorise(std::vector<double>{1, -1, 1}));
  EXPECT_TRUE(flat.factorise(std::vector<double>{1, -0.5, 1}));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Matrices, testing::Range(0, 4));

}  // namespace
}  // namespace postrider::internal
