// Rows of an estimator's columns as the inputs of its networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/standardise.h"
#include "encode/supervised_cuts.h"
#include "postrider/encoding.h"
#include "postrider/inputs.h"

namespace postrider::internal {

class InputEncoding {
 public:
  InputEncoding() = default;
  // These encodings of the columns. Rows of such columns tell what to expect where one is missing, and set the
  // unit of all inputs.
  InputEncoding(std::vector<ColumnEncoding> columns, const Inputs& rows,
                std::span<const double> weights = {});
  // The standard encoding, of columns that lie in several places.
  explicit InputEncoding(std::span<const ColumnMoment> moments);
  // All columns standardised, whatever their numbers.
  explicit InputEncoding(const Scales& scales);
  // As it was stored. Throws InvalidArgument if it makes no sense.
  InputEncoding(std::vector<ColumnEncoding> columns, std::vector<double> typical_means,
                std::vector<double> typical_variances, double unit);

  const std::vector<ColumnEncoding>& columns() const { return columns_; }
  std::size_t inputs() const { return column_of_.size(); }
  // The column that an input is made of.
  std::size_t column_of(std::size_t input) const { return column_of_[input]; }
  // For each input over the rows, in its own unit: what is assumed of it where its column is missing.
  const std::vector<double>& typical_means() const { return means_; }
  const std::vector<double>& typical_variances() const { return variances_; }
  // For each input, the share of the rows that the encoding was made of in which it is not zero. None if the
  // encoding was stored.
  const std::vector<double>& active_shares() const { return active_shares_; }
  // Inputs of a row that are not zero, on average over these rows; 0 if that is not known.
  std::size_t active_inputs() const;
  // All inputs are multiplied by it: the sum of all inputs' mean squares is then their number, as if all were
  // standardised, which is what the priors of networks are made for.
  double unit() const { return unit_; }

  // Rows of numbers, NaN where missing, as networks see them: what is not zero, and how uncertain it is where a column is missing.
  SparseInputs encoded(const Inputs& rows) const;

 private:
  template <class Visit, class End>
  void visit_cells(const Inputs& rows, Visit&& visit, End&& end_row) const;
  void place_inputs();
  void set_unit();

  std::vector<ColumnEncoding> columns_;
  std::vector<std::uint32_t> column_of_, first_;  // of each input; of each column
  std::vector<std::uint32_t>
      told_at_zero_;  // columns some input of which is not zero where they are
  std::vector<double> means_, variances_, active_shares_;
  double unit_ = 1;
};

// The standard encoding of a column, from its moments.
ColumnEncoding standard_encoding(const ColumnMoment& moment);

// --- Encodings of columns, made from the rows that are to be learned.

// Made from rows of a known shape, NaN where missing. A column of at most two different numbers keeps the standard
// encoding. Where a column has no cut, its rank is all that is told of it. `kind` is not `chosen`.
std::vector<ColumnEncoding> column_encodings(Encoding kind, const Inputs& rows,
                                             const TargetsToTell& targets);
// The standard encoding of rows whose zeros stay zeros: no column is moved, and each is divided by the root mean
// square of what is not zero in it.
std::vector<ColumnEncoding> zero_keeping_encodings(const Inputs& rows,
                                                   std::span<const double> weights);

}  // namespace postrider::internal
