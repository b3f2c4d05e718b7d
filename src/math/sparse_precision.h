// A Gaussian over many variables by its precision matrix, of which few entries differ from zero: what a chain, a grid or a
// regression says of all its unknowns together.
//
// The pattern is given once and analysed once; values may change as often as beliefs do. What can be had after factorise():
//
//   log det Q,   Q^-1 h,   draws,   and the entries of Q^-1 that belong to the pattern
//
// (the selected inverse by Takahashi's recursion; Erisman and Tinney, 1975), all in the time of the factorisation. Two
// factorisations L D L' stand behind it: in the order given within a band, where all entries are near the diagonal (chains) or
// variables are few, else in an order that keeps L sparse (Eigen's, by approximate minimum degree).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace postrider::internal {

class SparseFactorisation;

class SparsePrecision {
 public:
  struct Entry {
    std::uint32_t row, column;  // either order; stands for both
  };

  // The diagonal is part of the pattern whether it is named or not. An entry may be named more than once: values are added.
  SparsePrecision(std::size_t size, std::span<const Entry> entries);
  ~SparsePrecision();
  SparsePrecision(SparsePrecision&&) noexcept;
  SparsePrecision& operator=(SparsePrecision&&) noexcept;

  std::size_t size() const { return size_; }

  // One value for each entry of the constructor, in its order. False if the matrix is not positive definite to working precision; what
  // follows may then not be asked for.
  [[nodiscard]] bool factorise(std::span<const double> values);

  double log_determinant() const;
  // x <- Q^-1 x.
  void solve(std::span<double> x) const;
  // Independent standard normal numbers become a draw with covariance Q^-1.
  void colour(std::span<double> x) const;
  // Q^-1 at some entries of the pattern, one after the other, and on the diagonal.
  struct Covariances {
    std::vector<double> entries, variances;
  };
  Covariances covariances(std::span<const Entry> entries) const;

 private:
  std::size_t size_;
  std::vector<Entry> entries_;
  std::unique_ptr<SparseFactorisation> factorisation_;
};

}  // namespace postrider::internal
