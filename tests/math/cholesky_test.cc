#include "math/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>

namespace postrider {
using namespace internal;
namespace {

// A^T A of a matrix that anyone can multiply: its determinant is the square of A's.
constexpr std::size_t kSize = 3;
const std::vector<double> kRoot{2, 1, 0, -1, 3, 1, 0.5, 0, 4};

std::vector<double> symmetric() {
  std::vector<double> out(kSize * kSize);
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j)
      for (std::size_t k = 0; k < kSize; ++k)
        out[i * kSize + j] += kRoot[k * kSize + i] * kRoot[k * kSize + j];
  return out;
}

// |A| by its first row: 2 (3 * 4 - 1 * 0) - 1 (-1 * 4 - 1 * 0.5) = 28.5.
TEST(Cholesky, TheDeterminant) {
  const Cholesky factor(symmetric(), kSize);
  ASSERT_TRUE(factor.is_positive_definite());
  EXPECT_NEAR(factor.log_determinant(), 2 * std::log(28.5), 1e-13);
}

TEST(Cholesky, SolvesWhatWasMultiplied) {
  const std::vector<double> matrix = symmetric(), wanted{1, -2, 0.25};
  std::vector<double> b(kSize);
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j) b[i] += matrix[i * kSize + j] * wanted[j];
  Cholesky(matrix, kSize).solve(b);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_NEAR(b[i], wanted[i], 1e-13);
}

// L^-T applied to all unit vectors has the columns of a matrix B with B B^T = C^-1: C B B^T is one.
TEST(Cholesky, MirroredSolutionsAreARootOfTheInverse) {
  const std::vector<double> matrix = symmetric();
  const Cholesky factor(matrix, kSize);
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 0; k < kSize; ++k) {
    columns.emplace_back(kSize, 0.0)[k] = 1;
    factor.solve_mirrored(columns.back());
  }
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l < kSize; ++l)
        for (std::size_t k = 0; k < kSize; ++k)
          sum += matrix[i * kSize + l] * columns[k][l] * columns[k][j];
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-12);
    }
}

TEST(Cholesky, TheInverseTimesTheMatrixIsOne) {
  const std::vector<double> matrix = symmetric();
  const std::vector<double> lower = Cholesky(matrix, kSize).inverse();
  const auto inverse = [&](std::size_t i, std::size_t j) {
    return lower[std::max(i, j) * kSize + std::min(i, j)];
  };
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < kSize; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < kSize; ++k) sum += inverse(i, k) * matrix[k * kSize + j];
      EXPECT_NEAR(sum, i == j, 1e-13);
    }
}

TEST(Cholesky, OnlyTheLowerHalfIsRead) {
  std::vector<double> half = symmetric();
  half[1] = half[2] = half[5] = std::nan("");
  EXPECT_EQ(Cholesky(half, kSize).log_determinant(),
            Cholesky(symmetric(), kSize).log_determinant());
}

TEST(Cholesky, SaysWhatIsNotPositiveDefinite) {
  EXPECT_FALSE(Cholesky({1, 2, 2, 1}, 2).is_positive_definite());
  EXPECT_FALSE(Cholesky({1, 0, 0, std::nan("")}, 2).is_positive_definite());
  EXPECT_FALSE(Cholesky({0}, 1).is_positive_definite());
}

}  // namespace
}  // namespace postrider
