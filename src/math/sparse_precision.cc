#include "math/sparse_precision.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace postrider::internal {

// Q = P' L D L' P with a unit lower triangle L.
class SparseFactorisation {
 public:
  using Covariances = SparsePrecision::Covariances;
  using Entry = SparsePrecision::Entry;

  virtual ~SparseFactorisation() = default;
  virtual bool factorise(std::span<const double> values) = 0;
  virtual double log_determinant() const = 0;
  virtual void solve(std::span<double> x) const = 0;
  virtual void colour(std::span<double> x) const = 0;
  virtual Covariances covariances(std::span<const Entry> entries) const = 0;
};

namespace {

using Entry = SparsePrecision::Entry;

// A pivot below this share of its diagonal entry has lost all digits.
constexpr double kLeastPivot = 1e-15;
// Up to this band's width a factorisation within it is at most as dear as a search for a better order.
constexpr std::size_t kNarrow = 32;
// Variables that are so few that their matrix may as well be full.
constexpr std::size_t kFew = 96;

std::size_t band_of(std::span<const Entry> entries) {
  std::size_t out = 0;
  for (const Entry& entry : entries)
    out = std::max<std::size_t>(
        out, entry.row > entry.column ? entry.row - entry.column : entry.column - entry.row);
  return out;
}

class Banded final : public SparseFactorisation {
 public:
  Banded(std::size_t size, std::span<const Entry> entries, std::size_t band)
      : size_(size), band_(band), entries_(entries), lower_(size * (band + 1)) {}

  bool factorise(std::span<const double> values) override {
    std::fill(lower_.begin(), lower_.end(), 0.0);
    for (std::size_t k = 0; k < entries_.size(); ++k) at(entries_[k]) += values[k];
    for (std::size_t j = 0; j < size_; ++j) {
      double* const column = &lower_[j * (band_ + 1)];
      const std::size_t below = rows_below(j);
      const double pivot = column[0];
      if (!(pivot > kLeastPivot * diagonal_before(j)) || !std::isfinite(pivot)) return false;
      // The columns to the right lose what this one explains: Q_ab -= L_aj D_j L_bj.
      for (std::size_t b = 1; b <= below; ++b) {
        const double factor = column[b] / pivot;
        if (factor == 0) continue;
        double* const right = &lower_[(j + b) * (band_ + 1)];
        for (std::size_t a = b; a <= below; ++a) right[a - b] -= factor * column[a];
      }
      for (std::size_t b = 1; b <= below; ++b) column[b] /= pivot;
    }
    return true;
  }

  double log_determinant() const override {
    double out = 0;
    for (std::size_t j = 0; j < size_; ++j) out += std::log(pivot(j));
    return out;
  }

  void solve(std::span<double> x) const override {
    for (std::size_t j = 0; j < size_; ++j)
      for (std::size_t b = 1; b <= rows_below(j); ++b) x[j + b] -= below(j, b) * x[j];
    for (std::size_t j = 0; j < size_; ++j) x[j] /= pivot(j);
    solve_upper(x);
  }

  void colour(std::span<double> x) const override {
    for (std::size_t j = 0; j < size_; ++j) x[j] /= std::sqrt(pivot(j));
    solve_upper(x);
  }

  // With Z = Q^-1: Z L D = L'^-1 gives, from the last column to the first, Z_ij = -sum_k Z_ik L_kj below the diagonal and
  // Z_jj = 1/D_j - sum_k L_kj Z_kj on it.
  Covariances covariances(std::span<const Entry> entries) const override {
    std::vector<double> inverse(lower_.size(), 0.0);
    const auto known = [&](std::size_t row, std::size_t column) {
      return row >= column ? inverse[column * (band_ + 1) + row - column]
                           : inverse[row * (band_ + 1) + column - row];
    };
    for (std::size_t j = size_; j-- > 0;) {
      double* const column = &inverse[j * (band_ + 1)];
      const std::size_t rows = rows_below(j);
      for (std::size_t a = 1; a <= rows; ++a) {
        double sum = 0;
        for (std::size_t b = 1; b <= rows; ++b) sum += known(j + a, j + b) * below(j, b);
        column[a] = -sum;
      }
      double sum = 1 / pivot(j);
      for (std::size_t b = 1; b <= rows; ++b) sum -= below(j, b) * column[b];
      column[0] = sum;
    }
    Covariances out;
    out.entries.reserve(entries.size());
    out.variances.reserve(size_);
    for (const Entry& entry : entries) out.entries.push_back(known(entry.row, entry.column));
    for (std::size_t j = 0; j < size_; ++j) out.variances.push_back(inverse[j * (band_ + 1)]);
    return out;
  }

 private:
  double& at(const Entry& entry) {
    const std::size_t low = std::min(entry.row, entry.column),
                      high = std::max(entry.row, entry.column);
    return lower_[low * (band_ + 1) + high - low];
  }
  // What a pivot is small against: the diagonal entry before anything was taken from it is not kept, so the sum of what is there.
  double diagonal_before(std::size_t j) const {
    double out = std::abs(lower_[j * (band_ + 1)]);
    for (std::size_t b = 1; b <= std::min(j, band_); ++b) {
      const double l = below(j - b, b);
      out += l * l * pivot(j - b);
    }
    return out;
  }
  std::size_t rows_below(std::size_t j) const { return std::min(band_, size_ - 1 - j); }
  double pivot(std::size_t j) const { return lower_[j * (band_ + 1)]; }
  double below(std::size_t j, std::size_t b) const { return lower_[j * (band_ + 1) + b]; }

  void solve_upper(std::span<double> x) const {
    for (std::size_t j = size_; j-- > 0;)
      for (std::size_t b = 1; b <= rows_below(j); ++b) x[j] -= below(j, b) * x[j + b];
  }

  std::size_t size_, band_;
  std::span<const Entry> entries_;  // the owner's
  std::vector<double> lower_;  // column by column, each from its diagonal on: first Q, then D and L
};

class Ordered final : public SparseFactorisation {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  Ordered(std::size_t size, std::span<const Entry> entries)
      : entries_(entries), lower_(static_cast<int>(size), static_cast<int>(size)) {
    std::vector<Eigen::Triplet<double>> triplets;
    for (std::size_t j = 0; j < size; ++j)
      triplets.emplace_back(static_cast<int>(j), static_cast<int>(j), 0.0);
    for (const Entry& entry : entries)
      triplets.emplace_back(static_cast<int>(std::max(entry.row, entry.column)),
                            static_cast<int>(std::min(entry.row, entry.column)), 0.0);
    lower_.setFromTriplets(triplets.begin(), triplets.end());
    for (const Entry& entry : entries)
      place_.push_back(static_cast<std::size_t>(
          &lower_.coeffRef(static_cast<int>(std::max(entry.row, entry.column)),
                           static_cast<int>(std::min(entry.row, entry.column))) -
          lower_.valuePtr()));
    solver_.analyzePattern(lower_);
  }

  bool factorise(std::span<const double> values) override {
    std::fill(lower_.valuePtr(), lower_.valuePtr() + lower_.nonZeros(), 0.0);
    for (std::size_t k = 0; k < place_.size(); ++k) lower_.valuePtr()[place_[k]] += values[k];
    solver_.factorize(lower_);
    if (solver_.info() != Eigen::Success) return false;
    const Eigen::VectorXd pivots = solver_.vectorD();
    for (int j = 0; j < pivots.size(); ++j)
      if (!(pivots[j] > kLeastPivot * lower_.coeff(original(j), original(j))) ||
          !std::isfinite(pivots[j]))
        return false;
    return true;
  }

  double log_determinant() const override { return solver_.vectorD().array().log().sum(); }

  void solve(std::span<double> x) const override {
    Eigen::Map<Eigen::VectorXd> mapped(x.data(), static_cast<Eigen::Index>(x.size()));
    mapped = solver_.solve(mapped).eval();
  }

  void colour(std::span<double> x) const override {
    Eigen::Map<Eigen::VectorXd> mapped(x.data(), static_cast<Eigen::Index>(x.size()));
    Eigen::VectorXd scaled = mapped.array() / solver_.vectorD().array().sqrt();
    scaled = solver_.matrixU().solve(scaled).eval();
    mapped = solver_.permutationPinv() * scaled;
  }

  Covariances covariances(std::span<const Entry> entries) const override {
    const Matrix& lower = factor();
    const std::vector<double> inverse = selected_inverse(lower);
    Covariances out;
    for (const Entry& entry : entries)
      out.entries.push_back(inverse[place_in(lower, permuted(entry.row), permuted(entry.column))]);
    for (int j = 0; j < lower.cols(); ++j)
      out.variances.push_back(inverse[place_in(lower, permuted(j), permuted(j))]);
    return out;
  }

 private:
  const Matrix& factor() const { return solver_.matrixL().nestedExpression(); }
  int permuted(std::uint32_t variable) const {
    return solver_.permutationP().indices()[static_cast<int>(variable)];
  }
  int permuted(int variable) const { return solver_.permutationP().indices()[variable]; }
  int original(int position) const { return solver_.permutationPinv().indices()[position]; }

  // Where the entries of a column of L are, below its diagonal, which is not stored. The inverse's diagonal stands behind all of them.
  static std::size_t place_in(const Matrix& lower, int row, int column) {
    if (row == column) return static_cast<std::size_t>(lower.nonZeros() + row);
    if (row < column) std::swap(row, column);
    const int* const begin = lower.innerIndexPtr() + lower.outerIndexPtr()[column];
    const int* const end = lower.innerIndexPtr() + lower.outerIndexPtr()[column + 1];
    const int* const found = std::lower_bound(begin, end, row);
    check(found != end && *found == row, "an entry of the pattern lies in its factor's");
    return static_cast<std::size_t>(found - lower.innerIndexPtr());
  }

  // The recursion of Banded::covariances() on the pattern of L: what it asks for is there, since the rows of a column are joined with
  // each other in the columns that follow.
  std::vector<double> selected_inverse(const Matrix& lower) const {
    const int size = static_cast<int>(lower.cols());
    const int* const outer = lower.outerIndexPtr();
    const int* const rows = lower.innerIndexPtr();
    const double* const values = lower.valuePtr();
    const Eigen::VectorXd pivots = solver_.vectorD();
    std::vector<double> inverse(static_cast<std::size_t>(lower.nonZeros() + size));
    double* const diagonal = &inverse[static_cast<std::size_t>(lower.nonZeros())];
    std::vector<int> place_of(static_cast<std::size_t>(size),
                              -1);  // of a row among those of the present column
    std::vector<double> sums;
    for (int j = size; j-- > 0;) {
      const int first = outer[j], count = outer[j + 1] - first;
      sums.assign(static_cast<std::size_t>(count), 0.0);
      for (int k = 0; k < count; ++k) place_of[static_cast<std::size_t>(rows[first + k])] = k;
      for (int k = 0; k < count; ++k) {
        const int column = rows[first + k];
        sums[static_cast<std::size_t>(k)] += diagonal[column] * values[first + k];
        for (int p = outer[column]; p < outer[column + 1]; ++p) {
          const int other = place_of[static_cast<std::size_t>(rows[p])];
          if (other < 0) continue;
          sums[static_cast<std::size_t>(k)] +=
              inverse[static_cast<std::size_t>(p)] * values[first + other];
          sums[static_cast<std::size_t>(other)] +=
              inverse[static_cast<std::size_t>(p)] * values[first + k];
        }
      }
      double on_diagonal = 1 / pivots[j];
      for (int k = 0; k < count; ++k) {
        place_of[static_cast<std::size_t>(rows[first + k])] = -1;
        inverse[static_cast<std::size_t>(first + k)] = -sums[static_cast<std::size_t>(k)];
        on_diagonal += values[first + k] * sums[static_cast<std::size_t>(k)];
      }
      diagonal[j] = on_diagonal;
    }
    return inverse;
  }

  std::span<const Entry> entries_;  // the owner's
  Matrix lower_;
  std::vector<std::size_t> place_;  // of each entry among the matrix's values
  Eigen::SimplicialLDLT<Matrix, Eigen::Lower> solver_;
};

}  // namespace

SparsePrecision::SparsePrecision(std::size_t size, std::span<const Entry> entries)
    : size_(size), entries_(entries.begin(), entries.end()) {
  for (const Entry& entry : entries_)
    check(entry.row < size && entry.column < size, "an entry lies within the matrix");
  const std::size_t band = band_of(entries_);
  if (band <= kNarrow || size <= kFew)
    factorisation_ = std::make_unique<Banded>(size, entries_, band);
  else
    factorisation_ = std::make_unique<Ordered>(size, entries_);
}
SparsePrecision::~SparsePrecision() = default;
SparsePrecision::SparsePrecision(SparsePrecision&&) noexcept = default;
SparsePrecision& SparsePrecision::operator=(SparsePrecision&&) noexcept = default;

bool SparsePrecision::factorise(std::span<const double> values) {
  check(values.size() == entries_.size(), "one value for each entry");
  return factorisation_->factorise(values);
}
double SparsePrecision::log_determinant() const { return factorisation_->log_determinant(); }
void SparsePrecision::solve(std::span<double> x) const { factorisation_->solve(x); }
void SparsePrecision::colour(std::span<double> x) const { factorisation_->colour(x); }
SparsePrecision::Covariances SparsePrecision::covariances(std::span<const Entry> entries) const {
  return factorisation_->covariances(entries);
}

}  // namespace postrider::internal
