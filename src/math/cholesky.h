// A positive definite matrix as the product of a triangle and its mirror image.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace postrider::internal {

// C = L L^T. For a few hundred rows: n^3/3 operations, one after the other.
class Cholesky {
 public:
  // Takes a symmetric matrix, row by row, of which only the lower half is read.
  Cholesky(std::vector<double> matrix, std::size_t size);

  // Whether all pivots are above 0 in floating point. If not, nothing else here may be asked.
  bool is_positive_definite() const { return is_positive_definite_; }
  // log |C|
  double log_determinant() const;
  // C^-1 b, in place.
  void solve(std::span<double> right_hand_side) const;
  // L^-T b, in place: of independent standard normal numbers b it has the covariance C^-1.
  void solve_mirrored(std::span<double> right_hand_side) const;
  // C^-1, of which the lower half is there.
  std::vector<double> inverse() const;

 private:
  std::vector<double> factor_;
  std::size_t size_;
  bool is_positive_definite_ = true;
};

}  // namespace postrider::internal
