// Symmetric matrices of up to three rows: what a factor with several edges knows of them together.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace postrider::internal {

inline constexpr std::size_t kSmall = 3;

// log 2 pi, and the logarithm of nothing.
inline constexpr double kLogTwoPi = 1.8378770664093453;
inline constexpr double kLowest = -std::numeric_limits<double>::infinity();

using SmallVector = std::array<double, kSmall>;

// Both halves are kept. Functions below look at the first `size` rows alone.
struct SmallMatrix {
  std::array<double, kSmall * kSmall> entries{};

  double& operator()(std::size_t i, std::size_t j) { return entries[i * kSmall + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[i * kSmall + j]; }
};

inline SmallVector times(const SmallMatrix& a, const SmallVector& x, std::size_t size) {
  SmallVector out{};
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) out[i] += a(i, j) * x[j];
  return out;
}

inline double dot(const SmallVector& x, const SmallVector& y, std::size_t size) {
  double out = 0;
  for (std::size_t i = 0; i < size; ++i) out += x[i] * y[i];
  return out;
}

// a = L L', with zeros above the diagonal; not positive definite if a pivot is not above 0.
struct SmallCholesky {
  SmallMatrix lower;
  bool is_positive_definite = true;
  double log_determinant = 0;
};
inline SmallCholesky cholesky(const SmallMatrix& a, std::size_t size) {
  SmallCholesky out;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= out.lower(i, k) * out.lower(j, k);
      if (j < i) {
        out.lower(i, j) = sum / out.lower(j, j);
        continue;
      }
      if (!(sum > 0 && std::isfinite(sum))) {
        out.is_positive_definite = false;
        return out;
      }
      out.lower(i, i) = std::sqrt(sum);
      out.log_determinant += std::log(sum);
    }
  return out;
}

// (L L')^-1.
inline SmallMatrix inverse(const SmallCholesky& of, std::size_t size) {
  SmallMatrix triangle;  // L^-1
  for (std::size_t c = 0; c < size; ++c)
    for (std::size_t i = c; i < size; ++i) {
      double sum = i == c ? 1 : 0;
      for (std::size_t k = c; k < i; ++k) sum -= of.lower(i, k) * triangle(k, c);
      triangle(i, c) = sum / of.lower(i, i);
    }
  SmallMatrix out;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) out(i, j) += triangle(k, i) * triangle(k, j);
  return out;
}

}  // namespace postrider::internal
