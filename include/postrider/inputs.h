// Rows of inputs, all of their numbers or those that are not zero, and what is learned from them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "postrider/error.h"
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
  std::vector<double> variances = {};  // of each number, for networks; empty: all are known

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
  // All numbers of all rows. Throws InvalidArgument if they are not rows times columns.
  Inputs(std::span<const double> values, std::size_t rows, std::size_t columns)
      : values_(values), rows_(rows), columns_(columns) {
    if (values.size() != rows * columns || columns == 0)
      throw InvalidArgument("inputs", std::to_string(values.size()),
                            "must be as many numbers as rows times columns");
  }
  // The same where the shape follows from what goes with them: there are as many rows as targets, or as many columns as were
  // learned.
  template <class Values>
  requires std::convertible_to<const Values&, std::span<const double>> Inputs(const Values& values)
      : values_(values) {}
  Inputs(const SparseInputs& rows)
      : Inputs(rows.columns, rows.begins, rows.places, rows.values, rows.keeps_zeros) {
    variances_ = rows.variances;
  }
  // Fields of the same names as those of SparseInputs.
  Inputs(std::size_t columns, std::span<const std::size_t> begins,
         std::span<const std::uint32_t> places, std::span<const double> values,
         bool keeps_zeros = true)
      : values_(values),
        begins_(begins),
        places_(places),
        rows_(begins.empty() ? 0 : begins.size() - 1),
        columns_(columns),
        is_sparse_(true),
        keeps_zeros_(keeps_zeros) {}
  // How uncertain each number is, for a network: none, or a variance for each. Estimators know no more than that a number is missing.
  Inputs with_variances(std::span<const double> variances) const {
    Inputs out = *this;
    out.variances_ = variances;
    return out;
  }

  bool is_sparse() const { return is_sparse_; }
  bool keeps_zeros() const { return keeps_zeros_; }
  // All numbers, or those that are there; and how uncertain they are.
  std::span<const double> values() const { return values_; }
  std::span<const double> variances() const { return variances_; }
  // For sparse rows only.
  std::span<const std::size_t> begins() const { return begins_; }
  std::span<const std::uint32_t> places() const { return places_; }

  bool has_shape() const { return is_sparse_ || columns_ > 0; }
  // Rows must have a known shape.
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  // Rows as they are if their shape is known, else so many of them, or with so many columns; numbers that do not fill a row stay
  // beyond the last one.
  Inputs of_rows(std::size_t rows) const {
    return shaped(rows, rows > 0 ? values_.size() / rows : 0);
  }
  Inputs of_columns(std::size_t columns) const {
    return shaped(columns > 0 ? values_.size() / columns : 0, columns);
  }
  // Whether all numbers are those of whole rows.
  bool has_whole_rows() const { return is_sparse_ || values_.size() == rows_ * columns_; }

  // Some of the rows, whose shape is known.
  Inputs part(std::size_t first, std::size_t count) const {
    if (is_sparse_) {
      Inputs out(columns_, begins_.subspan(first, count + 1), places_, values_, keeps_zeros_);
      return out.with_variances(variances_);
    }
    const Inputs out(values_.subspan(first * columns_, count * columns_), count, columns_);
    if (variances_.empty()) return out;
    return out.with_variances(variances_.subspan(first * columns_, count * columns_));
  }

  // Calls visit(row, column, number) for all numbers that are there, row by row, of rows whose shape is known.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (!is_sparse_)
      for (std::size_t i = 0; i < values_.size(); ++i)
        visit(i / columns_, i % columns_, values_[i]);
    for (std::size_t row = 0; row + 1 < begins_.size(); ++row)
      for (std::size_t at = begins_[row]; at < begins_[row + 1]; ++at)
        visit(row, std::size_t{places_[at]}, values_[at]);
  }

 private:
  Inputs shaped(std::size_t rows, std::size_t columns) const {
    Inputs out = *this;
    if (!has_shape()) {
      out.rows_ = rows;
      out.columns_ = columns;
    }
    return out;
  }

  std::span<const double> values_, variances_;
  std::span<const std::size_t> begins_;
  std::span<const std::uint32_t> places_;
  std::size_t rows_ = 0, columns_ = 0;
  bool is_sparse_ = false, keeps_zeros_ = false;
};

// Copies of some rows of others, in the form of these.
class POSTRIDER_EXPORT OwnedInputs {
 public:
  OwnedInputs() = default;
  // Rows must have a known shape.
  OwnedInputs(const Inputs& all, std::span<const std::size_t> rows);

  operator Inputs() const { return is_sparse_ ? Inputs(sparse_) : dense_view(); }
  const std::vector<double>& numbers() const { return dense_; }  // of rows that hold all of them
  const SparseInputs& sparse() const { return sparse_; }         // of the others

 private:
  Inputs dense_view() const {
    return dense_.empty() ? Inputs() : Inputs(dense_, dense_.size() / columns_, columns_);
  }

  bool is_sparse_ = false;
  std::size_t columns_ = 0;
  std::vector<double> dense_;
  SparseInputs sparse_;
};

namespace internal {
// What would be gone before a view of it is used: a container that holds its numbers, and that nobody holds.
template <class T>
inline constexpr bool kIsFleeting =
    !std::is_lvalue_reference_v<T> && ((std::ranges::range<std::remove_cvref_t<T>> &&
                                        !std::ranges::borrowed_range<std::remove_cvref_t<T>>) ||
                                       std::same_as<std::remove_cvref_t<T>, SparseInputs> ||
                                       std::same_as<std::remove_cvref_t<T>, OwnedInputs>);
}  // namespace internal

// A view of what a model learns: rows, and the targets of each.
struct POSTRIDER_EXPORT Examples {
  Inputs inputs;                    // of known shape, but where there is no target
  std::span<const double> targets;  // row by row; the class numbers, from 0, of a classifier
  // None, or a number above 0 for each row, which counts as so many: see weighted_rows().
  std::span<const double> sample_weights = {};
  // Which rows must be judged together: a number for each row, the same for those of one group; none: each by itself.
  std::span<const std::uint32_t> groups = {};

  Examples() = default;
  // Inputs without a shape are as many rows as there are targets; for several targets a row, say the shape of the inputs.
  Examples(const Inputs& rows, std::span<const double> of_rows,
           std::span<const double> weights = {}, std::span<const std::uint32_t> of_groups = {})
      : inputs(rows.of_rows(of_rows.size())),
        targets(of_rows),
        sample_weights(weights),
        groups(of_groups) {}
  // Containers that are gone after this call.
  template <class Rows, class Targets, class Weights = std::span<const double>,
            class Groups = std::span<const std::uint32_t>>
  requires(internal::kIsFleeting<Rows> || internal::kIsFleeting<Targets> ||
           internal::kIsFleeting<Weights> || internal::kIsFleeting<Groups>)
      Examples(Rows&&, Targets&&, Weights&& = {}, Groups&& = {})
  = delete;

  std::size_t count() const { return inputs.rows(); }
  std::size_t columns() const { return inputs.columns(); }
};

}  // namespace postrider
