// Rows of a table as numbers for a network.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "postrider/inputs.h"
#include "postrider/table.h"

namespace postrider::internal {

// A numeric column stays in its unit. A date becomes the numbers of its parts. A categorical column becomes an input
// for each category and for each place that others share, 1 for the row's own and 0 for the others; for two categories
// the second one's is enough. A column with missing values in the schema's rows has one more input, 1 where it is missing.
//
// What is missing is NaN. So is a category that the schema does not have and that shares no input: all zeros would say
// that it is none of the others, and that was never learned; NaN says that it may be any of them.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Schema& schema, bool indicators);

  const std::vector<Schema::Feature>& features() const { return features_; }
  // Adds these rows of the table, one after the other, to `to`: what is not zero.
  void encode(const Table& table, std::span<const std::size_t> rows, SparseInputs& to) const;
  // Whether zeros of such rows stay zeros: of many columns of numbers, nearly all are zeros.
  bool keeps_zeros(const SparseInputs& rows) const;

 private:
  struct Plan {
    std::size_t column = 0;
    std::size_t first = 0;   // of its inputs
    std::size_t inputs = 0;  // that its value takes
    std::size_t codes = 0;   // of categories and of places that others share; 0: numbers
    std::vector<ColumnSchema::DatePart> parts = {};  // of dates
    bool indicator = false;
  };
  Plan plan_of(const Schema& schema, std::size_t place, bool indicators);
  static void add_cell(const Plan& plan, const Table::Column& cells, std::size_t row,
                       SparseInputs& to);

  std::vector<Plan> plans_;
  std::vector<Schema::Feature> features_;
};

// Means of the inputs, over the rows where they are known; 0 where none is.
std::vector<double> means_of(const SparseInputs& rows);
// Puts them where an input is missing.
void fill_missing(SparseInputs& rows, std::span<const double> means);

}  // namespace postrider::internal
