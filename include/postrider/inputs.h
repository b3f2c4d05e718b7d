// Rows of inputs for an estimator: all of their numbers, or those that are not zero.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "postrider/export.h"

namespace postrider {

// Rows of mostly zeros. Of row r the numbers from begins[r] to begins[r + 1] are there, each with its column, in
// ascending order; all others are 0. A number may be 0 or NaN, which is missing.
struct POSTRIDER_EXPORT SparseInputs {
  std::size_t columns = 0;
  std::vector<std::size_t> begins{0};
  std::vector<std::uint32_t> places = {};  // the columns of the numbers
  std::vector<double> values = {};
  // How an estimator takes its columns unless an encoding is named: each divided by the root mean square of what is
  // not zero in it, so that zeros stay zeros. Otherwise as of rows that hold all their numbers.
  bool keeps_zeros = true;

  std::size_t rows() const { return begins.size() - 1; }
  // To the row that is put down.
  void add(std::size_t column, double value) {
    places.push_back(static_cast<std::uint32_t>(column));
    values.push_back(value);
  }
  void end_row() { begins.push_back(values.size()); }
};

// A view of rows that lie elsewhere, one after the other.
class POSTRIDER_EXPORT Inputs {
 public:
  Inputs() = default;
  // All numbers of all rows. The number of columns follows from that of the rows.
  template <class Values>
  requires std::convertible_to<const Values&, std::span<const double>> Inputs(const Values& values)
      : values_(values) {}
  Inputs(const double* values, std::size_t count) : values_(values, count) {}
  Inputs(const SparseInputs& rows)
      : Inputs(rows.columns, rows.begins, rows.places, rows.values, rows.keeps_zeros) {}
  // As of SparseInputs.
  Inputs(std::size_t columns, std::span<const std::size_t> begins,
         std::span<const std::uint32_t> places, std::span<const double> values,
         bool keeps_zeros = true)
      : values_(values),
        begins_(begins),
        places_(places),
        columns_(columns),
        is_sparse_(true),
        keeps_zeros_(keeps_zeros) {}

  bool is_sparse() const { return is_sparse_; }
  bool keeps_zeros() const { return keeps_zeros_; }
  // All numbers, or those that are there.
  std::span<const double> values() const { return values_; }
  // For sparse rows only.
  std::span<const std::size_t> begins() const { return begins_; }
  std::span<const std::uint32_t> places() const { return places_; }

  // The number of columns if there are so many rows, and of rows if there are so many columns.
  std::size_t columns(std::size_t rows) const {
    return is_sparse_ ? columns_ : values_.size() / rows;
  }
  std::size_t rows(std::size_t columns) const {
    if (!is_sparse_) return values_.size() / columns;
    return begins_.empty() ? 0 : begins_.size() - 1;
  }
  // Some of the rows, which have so many columns.
  Inputs part(std::size_t first, std::size_t count, std::size_t columns) const {
    if (!is_sparse_) return values_.subspan(first * columns, count * columns);
    return {columns_, begins_.subspan(first, count + 1), places_, values_, keeps_zeros_};
  }

  // Calls visit(row, column, number) for all numbers that are there, row by row. Rows have so many columns.
  template <class Visit>
  void for_each(std::size_t columns, Visit&& visit) const {
    if (!is_sparse_)
      for (std::size_t i = 0; i < values_.size(); ++i) visit(i / columns, i % columns, values_[i]);
    for (std::size_t row = 0; row + 1 < begins_.size(); ++row)
      for (std::size_t at = begins_[row]; at < begins_[row + 1]; ++at)
        visit(row, std::size_t{places_[at]}, values_[at]);
  }

 private:
  std::span<const double> values_;
  std::span<const std::size_t> begins_;
  std::span<const std::uint32_t> places_;
  std::size_t columns_ = 0;
  bool is_sparse_ = false, keeps_zeros_ = false;
};

}  // namespace postrider
