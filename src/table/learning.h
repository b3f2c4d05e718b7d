// Rows of tables as an estimator learns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "table/state.h"

namespace postrider::internal {

struct LearnedRows {
  SparseInputs inputs;
  std::vector<double> targets;  // or the class numbers of a categorical one
  std::vector<double> weights;  // how often each row counts; empty: once
  std::vector<std::uint32_t>
      groups;  // a number for each row, the same for rows that belong together; or none
  std::size_t without_target = 0;  // rows that were left out

  std::size_t rows() const { return targets.size(); }
  std::vector<std::size_t> labels() const { return {targets.begin(), targets.end()}; }
  Examples examples() const { return {inputs, targets, weights, groups}; }
};

// Adds the rows of a table whose target is known. Throws InvalidArgument if the table is of another
// schema or has no targets, or a class is not the model's. Missing inputs stay NaN.
// Groups are none, or a number for each row of the table.
void add_rows(const TableEncoding& encoding, const Table& table, LearnedRows& to,
              std::span<const std::uint32_t> groups = {});
// The rows of the table that have a target, in order; none if it has no such column.
std::vector<std::size_t> known_rows(const TableEncoding& encoding, const Table& table);
// Before rows are learned: says whether their zeros stay zeros, and puts means in the place of missing inputs if the
// encoding asks for it; the first call fixes these.
void impute(TableEncoding& encoding, SparseInputs& inputs);
// All rows of a table as the estimator sees them.
SparseInputs encoded(const TableEncoding& encoding, const Table& table);

// Multiplies the weights of rows with those of their classes. Throws InvalidArgument if a class is not the model's, or
// the target is numeric and classes are weighted all the same.
void weigh_classes(const TableEncoding& encoding, const TableModelOptions::ClassWeights& how,
                   LearnedRows& rows);

// Rows as estimators take them: one of weight 2 stands twice, one of weight 0 is not there, and weights of at most 1
// are left. Throws InvalidArgument if one is above what is accepted, or no row counts.
LearnedRows spread_weights(const LearnedRows& rows);

std::unique_ptr<TableModelState> new_state(const Schema& schema, const TableModelOptions& options);
// Throws InvalidArgument if there are none.
void expect_rows(const LearnedRows& rows, const TableEncoding& encoding);
TableEstimator new_estimator(const TableEncoding& encoding, const TableModelOptions& options);
std::vector<FitReport> fit(TableEstimator& estimator, const LearnedRows& rows,
                           const TableModelOptions& options, const TrainingCallbacks& callbacks);
StreamReport partial_fit(TableEstimator& estimator, const LearnedRows& rows);
// What a reader still has, each row once, until `progress` says false. The first rows of a model begin its profile.
TableModel::Step learn_stream(TableModelState& state, TableReader& reader,
                              const TableModel::StreamCallback& progress, bool begins_profile,
                              const TableModelOptions::ClassWeights& class_weights = {});
// Adds rows that were learned to the profile, if there is one: that of later rows alone would mislead.
void watch_rows(const Table& table, TableModelState& state);

// Throws InvalidArgument if the table's columns are not those of the model.
void expect_schema(const TableEncoding& encoding, const Schema& schema);

}  // namespace postrider::internal
