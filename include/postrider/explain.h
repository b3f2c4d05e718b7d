// Why a prediction is what it is: how far each column moves it from a baseline, which columns are unusual, and how far the members of the
// ensemble agree on that.
//
// Let v(S) be what is predicted of a row whose columns S are its own and whose others are those of a row of the baseline. A column moves the
// prediction by v(S with it) - v(S). Its contribution is the mean of that over all orders in which columns could be changed from the one row
// to the other (Shapley values, against that row), and over the rows of the baseline. Contributions add up to the prediction less the mean
// prediction of the baseline, whatever the orders. Columns that are equal in both rows contribute 0.
//
// Where all subsets of the columns are no more rows to predict than the orders ask for, all of them are; else orders are drawn, each with
// its opposite. A pair of opposite orders is exact for sums of functions of at most two columns each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "postrider/classifier.h"
#include "postrider/export.h"
#include "postrider/inputs.h"
#include "postrider/regressor.h"
#include "postrider/table_model.h"

namespace postrider {

struct POSTRIDER_EXPORT Explanation {
  struct POSTRIDER_EXPORT Options {
    // Pairs of opposite orders for each row of the baseline; 0: four, and one of each row where these are four or more.
    std::size_t orders = 0;
    std::uint64_t seed = 1;  // of the orders, which are the same for all rows

    void validate() const;  // throws InvalidArgument
  };

  // Learned rows that a table's model is compared with where no baseline is given, at most.
  static constexpr std::size_t kLearnedRows = 32;

  std::size_t rows = 0;
  std::vector<std::string> columns;  // as the user knows them
  std::vector<std::string>
      quantities;  // "mean" and "std" of a number; else the classes, whose probabilities they are
  // One number for each quantity: the mean of the predictions of the baseline's rows, and row by row what is predicted.
  std::vector<double> baseline, predictions;
  // Row by row, column by column, quantity by quantity; in the unit of the quantity. `spread` is the standard deviation of a contribution over
  // the members of the ensemble, each explained by itself; 0 where there is one member.
  std::vector<double> contributions, spread;
  // The values of a table's rows as a person reads them, row by row and column by column; none of other rows.
  std::vector<std::string> cells;
  // Row by row, column by column: how many standard deviations a value lies from the mean of those that were learned, for categories that of
  // its input; 0 where it is missing, infinite for a category that was not learned.
  std::vector<double> unusual;

  std::size_t place(std::size_t row, std::size_t column, std::size_t quantity) const {
    return (row * columns.size() + column) * quantities.size() + quantity;
  }
  // The mean size of a quantity's contributions over the rows, column by column.
  std::vector<double> importance(std::size_t quantity) const;
};

// Columns are groups of inputs, which may be named; none: each input by itself. The baseline is one row or several; none: the means of what
// was learned. Throw InvalidArgument, and NotFitted before anything was learned.
POSTRIDER_EXPORT Explanation explain(const Regressor& regressor, const Inputs& rows,
                                     const Inputs& baseline = {},
                                     const Explanation::Options& options = {},
                                     const std::vector<std::vector<std::size_t>>& groups = {});
POSTRIDER_EXPORT Explanation explain(const Classifier& classifier, const Inputs& rows,
                                     const Inputs& baseline = {},
                                     const Explanation::Options& options = {},
                                     const std::vector<std::vector<std::size_t>>& groups = {});
// Columns are those of the table. A baseline without rows: rows that the model has learned, as its profile keeps them, or else their means.
POSTRIDER_EXPORT Explanation explain(const TableModel& model, const Table& rows,
                                     const Table& baseline = {},
                                     const Explanation::Options& options = {});
// The same rows with another value in one column, as a file would have it; empty: missing. Throws InvalidArgument if it is no input, or the
// value makes no sense there.
POSTRIDER_EXPORT Table with_value(const Table& rows, const std::string& column,
                                  const std::string& value);

}  // namespace postrider
