// Rows of an estimator's columns as the inputs of its networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/column_moments.h"
#include "postrider/encoding.h"

namespace postrider {

class InputEncoding {
 public:
  InputEncoding() = default;
  // These encodings of the columns. Rows of such columns tell what to expect where one is missing, and set the
  // unit of all inputs.
  InputEncoding(std::vector<ColumnEncoding> columns, std::span<const double> rows,
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
  // Of each input over the rows, in its own unit: what is told of it where its column is missing.
  const std::vector<double>& typical_means() const { return means_; }
  const std::vector<double>& typical_variances() const { return variances_; }
  // All inputs are multiplied by it: the sum of all inputs' mean squares is then their number, as if all were
  // standardised, which is what the priors of networks are made for.
  double unit() const { return unit_; }

  // Rows of numbers, NaN where missing.
  EncodedRows encoded(std::span<const double> rows) const;

 private:
  void place_inputs();
  void set_unit();

  std::vector<ColumnEncoding> columns_;
  std::vector<std::uint32_t> column_of_, first_;  // of each input; of each column
  std::vector<double> means_, variances_;
  double unit_ = 1;
};

// The standard encoding of a column, from its moments.
ColumnEncoding standard_encoding(const ColumnMoment& moment);

}  // namespace postrider
