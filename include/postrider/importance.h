// Which columns matter to a model as a whole, how its predictions move with each, and which of them act together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "postrider/estimator.h"
#include "postrider/export.h"
#include "postrider/table_model.h"

namespace postrider {

// What predictions lose where the values of one column are those of other rows, so that they tell nothing.
struct POSTRIDER_EXPORT ColumnImportance {
  struct POSTRIDER_EXPORT Options {
    std::size_t rows = 500;   // at most, evenly among those given
    std::size_t repeats = 3;  // permutations; at least 2
    std::uint64_t seed = 1;

    void validate() const;  // throws InvalidArgument
  };

  std::string column;
  // Nats per row, and the standard error over rows: how far it would differ on other rows like these.
  double loss = 0, standard_error = 0;
  // The share by which the typical error (root mean square) is larger then; for classes, by which the log-loss is. 0 for several targets.
  double growth = 0;
};

// By rows whose target is known; others are passed over. Without any, throws InvalidArgument.
POSTRIDER_EXPORT std::vector<ColumnImportance> column_importance(
    const TableModel& model, const Table& rows, const ColumnImportance::Options& options = {});
// By up to 512 of the rows that the last fit() has learned, each as networks predicted it that had left it out, without
// what was learned of the shape of predictions. Empty where nothing is
// known of them: in a model of a file or of a stream, where training was spread over processes, and of rows that are too wide to keep.
POSTRIDER_EXPORT std::vector<ColumnImportance> column_importance(
    const TableModel& model, const ColumnImportance::Options& options = {});
// Likewise; columns are groups of inputs, none: each input by itself.
POSTRIDER_EXPORT std::vector<ColumnImportance> column_importance(
    const Estimator& estimator, const ColumnImportance::Options& options = {},
    const std::vector<std::vector<std::size_t>>& groups = {});

// How predictions move with one column, all others as they are in some rows.
struct POSTRIDER_EXPORT PartialDependence {
  struct POSTRIDER_EXPORT Options {
    // The class whose probability is meant; empty: of two the second, of more the one that is most probable in these rows.
    std::string class_name = {};
    std::size_t rows = 100;   // at most, evenly among those given
    std::size_t points = 15;  // at most, where the values of these rows lie
    // Another column, which has this value in all rows, as a file would have it; empty: there is none.
    std::string by = {}, value = {};

    void validate() const;  // throws InvalidArgument
  };

  std::string column, output;           // output: what the mean is of
  std::vector<double> x = {};           // of a number, or of a date in seconds since 1970
  std::vector<std::string> names = {};  // of a category, the most frequent first
  // Over rows: the mean, and the band that holds the middle 80 %. A wide band says that other columns matter as well.
  std::vector<double> mean, low, high;
  // The standard deviation of the mean over the members of the ensemble: how far they disagree on the curve. 0 where there is one member.
  std::vector<double> spread = {};
};

// Without rows: some that the model has learned, as its profile keeps them. Throws InvalidArgument if the column is no input, for a class that
// is none, and where there are no rows at all.
POSTRIDER_EXPORT PartialDependence
partial_dependence(const TableModel& model, const Table& rows, const std::string& column,
                   const PartialDependence::Options& options = {});

// Two columns whose joint effect is not the sum of the effect of each.
struct POSTRIDER_EXPORT Interaction {
  struct POSTRIDER_EXPORT Options {
    std::string class_name = {};  // as of PartialDependence
    std::size_t rows = 128;       // at most, evenly among those given
    std::size_t columns = 8;      // those that move predictions most; all their pairs are looked at
    std::uint64_t seed = 1;

    void validate() const;  // throws InvalidArgument
  };

  std::string first, second;
  // E[(f - f_i - f_j + f_ij)^2] / 4 as a share of the variance of f over the rows, f_i being what is predicted where column i has the value of
  // another row: the superset importance of Liu and Owen (2006). 0 where f is a sum of functions of which none has both. And its standard
  // error over rows.
  double share = 0, standard_error = 0;
};

// The largest first. Throws as partial_dependence() does.
POSTRIDER_EXPORT std::vector<Interaction> interactions(const TableModel& model, const Table& rows,
                                                       const Interaction::Options& options = {});

}  // namespace postrider
