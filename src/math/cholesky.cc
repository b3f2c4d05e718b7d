#include "math/cholesky.h"

#include <cmath>
#include <utility>

namespace postrider::internal {

Cholesky::Cholesky(std::vector<double> matrix, std::size_t size)
    : factor_(std::move(matrix)), size_(size) {
  for (std::size_t i = 0; i < size; ++i) {
    double* row = factor_.data() + i * size;
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = factor_.data() + j * size;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
    }
    double pivot = row[i];
    for (std::size_t k = 0; k < i; ++k) pivot -= row[k] * row[k];
    if (!(pivot > 0 && std::isfinite(pivot))) {
      is_positive_definite_ = false;
      return;
    }
    row[i] = std::sqrt(pivot);
  }
}

double Cholesky::log_determinant() const {
  double out = 0;
  for (std::size_t i = 0; i < size_; ++i) out += 2 * std::log(factor_[i * size_ + i]);
  return out;
}

void Cholesky::solve(std::span<double> right_hand_side) const {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < i; ++k)
      right_hand_side[i] -= factor_[i * size_ + k] * right_hand_side[k];
    right_hand_side[i] /= factor_[i * size_ + i];
  }
  solve_mirrored(right_hand_side);
}

void Cholesky::solve_mirrored(std::span<double> right_hand_side) const {
  for (std::size_t i = size_; i-- > 0;) {
    right_hand_side[i] /= factor_[i * size_ + i];
    for (std::size_t k = 0; k < i; ++k)
      right_hand_side[k] -= factor_[i * size_ + k] * right_hand_side[i];
  }
}

std::vector<double> Cholesky::inverse() const {
  // L^-1, a column of it after the other as a row, then C^-1 = L^-T L^-1.
  std::vector<double> columns(size_ * size_);
  for (std::size_t c = 0; c < size_; ++c) {
    double* column = columns.data() + c * size_;
    for (std::size_t i = c; i < size_; ++i) {
      double sum = i == c ? 1 : 0;
      for (std::size_t k = c; k < i; ++k) sum -= factor_[i * size_ + k] * column[k];
      column[i] = sum / factor_[i * size_ + i];
    }
  }
  std::vector<double> out(size_ * size_);
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = i; k < size_; ++k)
        sum += columns[i * size_ + k] * columns[j * size_ + k];
      out[i * size_ + j] = sum;
    }
  return out;
}

}  // namespace postrider::internal
